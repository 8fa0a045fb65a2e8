package strategytest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// A spool is a durable queue as a directory of files, with no thought of cost: one file a message,
// whose name has its number, its attempts and when it is due. With one fault.
type spool struct {
	fault spoolFault
	dir   string
	lease time.Duration

	mu    sync.Mutex
	last  int
	held  map[string][]byte // putsLate: what is to be written
	keeps bool
}

// A spoolFault is what is wrong with it.
type spoolFault int

const (
	soundSpool      spoolFault = iota
	oneConsumerMore            // than the limit
	forgetsRetries             // acknowledges what is to be delivered again
	deafSubmits                // do not see the end of their context
	acksNothing                // so that all is delivered again, to the next instance
	takesAfterDrain            // accepts tasks after Drain
	keepsNoLetters             // of dead messages
	newestFirst                // in the queue
	removesAlways              // removes the queue that is to be kept
	putsLate                   // writes messages when it is closed
	countsNothing              // each attempt is the first
)

func spoolSpec(f spoolFault) strategies.Spec {
	return strategies.Spec{
		Name: "spool", RealClock: true, Retries: true, FIFO: true,
		Bound:      func(p strategies.Params) int { return p.Limit },
		Durability: func(strategies.Params) strategies.Durability { return strategies.KillSafe },
		Keys: strategies.BrokerKeys(
			param.Key{Name: "lease", Kind: param.Duration, Default: "500ms"}),
		Check: strategies.CheckBroker,
		Open: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) (strategies.Strategy, error) {
			return openSpool(ctx, f, p, sink)
		},
	}
}

func openSpool(
	ctx context.Context, f spoolFault, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	q := &spool{fault: f, lease: p.Values.Duration("lease"), held: map[string][]byte{}}
	name := "own"
	if p.Resume != nil {
		name, q.keeps = p.Resume.Name, !p.Resume.Remove
	} else if dir, err := os.MkdirTemp("", "spool"); err == nil {
		name = filepath.Base(dir)
	}
	q.dir = filepath.Join(os.TempDir(), name)
	if err := os.MkdirAll(filepath.Join(q.dir, "dead"), 0o700); err != nil {
		return nil, err
	}
	names, err := q.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		q.last = max(q.last, number(name, 0))
	}
	s := strategies.Broker{Put: q.put, Work: q.work, Close: q.close,
		Dead: func(context.Context) (int, error) {
			entries, err := os.ReadDir(filepath.Join(q.dir, "dead"))
			return len(entries), err
		}}.Start(ctx, p, sink)
	switch f {
	case takesAfterDrain:
		return tooOpen{s}, nil
	case deafSubmits:
		return deaf{s}, nil
	}
	return s, nil
}

type deaf struct{ strategies.Strategy }

func (s deaf) Submit(ctx context.Context, t *strategies.Task) error {
	return s.Strategy.Submit(context.WithoutCancel(ctx), t)
}

type tooOpen struct{ strategies.Strategy }

func (s tooOpen) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Strategy.Submit(ctx, t); !errors.Is(err, strategies.ErrClosed) {
		return err
	}
	return nil
}

// names are those of the messages, in their order.
func (q *spool) names() (names []string, err error) {
	entries, err := os.ReadDir(q.dir)
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), "new") {
			names = append(names, e.Name())
		}
	}
	if q.fault == newestFirst {
		slices.Reverse(names)
	}
	return names, err
}

// number is part i of a name: the number of the message, its attempts, when it is due.
func number(name string, i int) int {
	n, err := strconv.Atoi(strings.Split(name, "_")[i])
	if err != nil {
		panic(err)
	}
	return n
}

func (q *spool) put(_ context.Context, body []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last++
	name := fmt.Sprintf("%09d_0_0", q.last)
	if q.fault == putsLate {
		q.held[name] = body
		time.AfterFunc(time.Duration(q.last)*10*time.Millisecond, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			if q.held[name] != nil {
				_ = q.write(name, body) // else it is closed
				delete(q.held, name)
			}
		})
		return nil
	}
	return q.write(name, body)
}

func (q *spool) write(name string, body []byte) error {
	if err := os.WriteFile(filepath.Join(q.dir, "new"), body, 0o600); err != nil {
		return err
	}
	return q.rename("new", name)
}

func (q *spool) rename(from, to string) error {
	return os.Rename(filepath.Join(q.dir, from), filepath.Join(q.dir, to))
}

// take claims the first message that is due; nil: none is.
func (q *spool) take() *spooled {
	q.mu.Lock()
	defer q.mu.Unlock()
	names, err := q.names()
	if err != nil {
		return nil
	}
	for _, name := range names {
		if int64(number(name, 2)) > time.Now().UnixNano() {
			continue
		}
		body, err := os.ReadFile(filepath.Join(q.dir, name))
		if err != nil {
			continue
		}
		m := &spooled{queue: q, body: body, attempt: number(name, 1) + 1}
		m.name = fmt.Sprintf("%09d_%d_%d", number(name, 0), m.attempt,
			time.Now().Add(q.lease).UnixNano())
		if q.fault == countsNothing {
			m.attempt = 1
		}
		if q.rename(name, m.name) == nil {
			return m
		}
	}
	return nil
}

func (q *spool) work(ctx context.Context, limit int, do func(strategies.Message)) {
	if q.fault == oneConsumerMore && limit == 3 {
		limit++
	}
	strategies.Consume(ctx, limit, func(ctx context.Context) (strategies.Message, error) {
		for ctx.Err() == nil {
			if m := q.take(); m != nil {
				return m, nil
			}
			time.Sleep(time.Millisecond)
		}
		return nil, ctx.Err()
	}, do)
}

func (q *spool) close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name, body := range q.held {
		delete(q.held, name)
		if err := q.write(name, body); err != nil {
			return err
		}
	}
	if q.keeps && q.fault != removesAlways {
		return nil
	}
	return os.RemoveAll(q.dir)
}

// spooled is a delivery. Its lease is long enough for the clauses: it is not renewed.
type spooled struct {
	queue   *spool
	name    string
	body    []byte
	attempt int
}

func (m *spooled) Body() []byte { return m.body }
func (m *spooled) Attempt() int { return m.attempt }

func (m *spooled) Reply(r strategies.Reply) error {
	q := m.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case r.Dead != nil && q.fault != keepsNoLetters:
		return q.rename(m.name, filepath.Join("dead", m.name))
	case r.Again && (q.fault != forgetsRetries || r.After == 0):
		parts := strings.Split(m.name, "_")
		parts[2] = strconv.FormatInt(time.Now().Add(r.After).UnixNano(), 10)
		return q.rename(m.name, strings.Join(parts, "_"))
	case q.fault == acksNothing:
		return nil
	}
	return os.Remove(filepath.Join(q.dir, m.name))
}
