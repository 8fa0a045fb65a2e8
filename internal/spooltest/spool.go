// Package spooltest implements a durable queue with faults that tests must detect.
package spooltest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// A spool is a directory with one file per message, named by number, attempts and due time.
type spool struct {
	fault Fault
	dir   string
	lease time.Duration

	mu    sync.Mutex
	last  int
	held  map[string][]byte // PutsLate: messages to write
	keeps bool
	known []string // names read but not yet taken
}

type Fault int

const (
	Sound           Fault = iota
	OneConsumerMore       // above the limit
	ForgetsRetries        // acknowledges messages that must be delivered again
	DeafSubmits           // ignore the end of their context
	AcksNothing           // all messages are delivered again, to the next instance
	TakesAfterDrain       // accepts tasks after Drain
	KeepsNoLetters        // of dead messages
	NewestFirst
	RemovesAlways // removes a queue that must be kept
	PutsLate      // writes messages on closing
	CountsNothing // each attempt is the first
	DropsSome     // 1 in 700 puts
	AcksEarly     // acknowledges delivered messages before they are done, while many wait
	AcksMost      // except 1 in 20, delivered again to the next instance
)

func Spec(f Fault) strategies.Spec {
	return strategies.Spec{
		Name: "spool", RealClock: true, Retries: true, FIFO: true,
		Bound:      func(p strategies.Params) int { return p.Limit },
		Durability: func(strategies.Params) strategies.Durability { return strategies.KillSafe },
		Keys: engine.BrokerKeys(
			param.Key{Name: "lease", Kind: param.Duration, Default: "500ms"}),
		Check: engine.CheckBroker,
		Open: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) (strategies.Strategy, error) {
			return openSpool(ctx, f, p, sink)
		},
	}
}

func openSpool(
	ctx context.Context, f Fault, p strategies.Params, sink strategies.Sink,
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
	s := engine.Broker{Put: q.put, Work: q.work, Close: q.close,
		Dead: func(context.Context) (int, error) {
			entries, err := os.ReadDir(filepath.Join(q.dir, "dead"))
			return len(entries), err
		}, Stored: func(context.Context) (int, error) {
			q.mu.Lock()
			defer q.mu.Unlock()
			names, err := q.names()
			return len(names) + len(q.held), err
		}}.Start(ctx, p, sink)
	switch f {
	case TakesAfterDrain:
		return tooOpen{s}, nil
	case DeafSubmits:
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

func (q *spool) names() (names []string, err error) {
	entries, err := os.ReadDir(q.dir)
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), "new") {
			names = append(names, e.Name())
		}
	}
	if q.fault == NewestFirst {
		slices.Reverse(names)
	}
	return names, err
}

// number returns part i of a name: number, attempts, due time.
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
	if q.fault == DropsSome && q.last%700 == 0 {
		return nil
	}
	if q.fault == PutsLate {
		q.held[name] = body
		time.AfterFunc(time.Duration(q.last)*10*time.Millisecond, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			for _, late := range slices.Sorted(maps.Keys(q.held)) { // empty after closing
				if late <= name { // timers due now may run in any order
					_ = q.write(late, q.held[late])
					delete(q.held, late)
				}
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

// take claims the first due message, or returns nil.
func (q *spool) take() *spooled {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.known) == 0 || q.fault == NewestFirst {
		q.known, _ = q.names() // no names on an error
	}
	for len(q.known) > 0 {
		name := q.known[0]
		q.known = q.known[1:]
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
		if q.fault == CountsNothing {
			m.attempt = 1
		}
		if q.rename(name, m.name) != nil {
			continue
		}
		// except the third, which clause Poison tests
		if m.early = q.fault == AcksEarly && number(name, 0) != 3; m.early {
			_ = os.Remove(filepath.Join(q.dir, m.name))
		}
		return m
	}
	return nil
}

func (q *spool) work(ctx context.Context, limit int, do func(engine.Message)) {
	if q.fault == OneConsumerMore && limit == 3 {
		limit++
	}
	engine.Consume(ctx, limit, func(ctx context.Context) (engine.Message, error) {
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
	if q.keeps && q.fault != RemovesAlways {
		return nil
	}
	return os.RemoveAll(q.dir)
}

// A lease is not renewed, but long enough for the clauses.
type spooled struct {
	queue   *spool
	name    string
	body    []byte
	attempt int
	early   bool // already acknowledged
}

func (m *spooled) Body() []byte { return m.body }
func (m *spooled) Attempt() int { return m.attempt }

func (m *spooled) Reply(r engine.Reply) error {
	q := m.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.early {
		if !r.Again && r.Dead == nil {
			return nil
		}
		if err := q.write(m.name, m.body); err != nil {
			return err
		}
	}
	switch {
	case r.Dead != nil && q.fault != KeepsNoLetters:
		return q.rename(m.name, filepath.Join("dead", m.name))
	case r.Again && (q.fault != ForgetsRetries || r.After == 0):
		parts := strings.Split(m.name, "_")
		parts[2] = strconv.FormatInt(time.Now().Add(r.After).UnixNano(), 10)
		return q.rename(m.name, strings.Join(parts, "_"))
	case q.fault == AcksNothing:
		return nil
	case q.fault == AcksMost && number(m.name, 0)%20 == 0:
		parts := strings.Split(m.name, "_")
		parts[2] = strconv.FormatInt(time.Now().Add(600*time.Millisecond).UnixNano(), 10)
		return q.rename(m.name, strings.Join(parts, "_"))
	}
	return os.Remove(filepath.Join(q.dir, m.name))
}
