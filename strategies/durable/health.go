package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies/engine"
)

var awayKey = param.Key{Name: "away", Kind: param.Duration, Default: "6s",
	Doc: "time for which the server may fail or not answer, as during a restart, before the " +
		"strategy ends with the server's error"}

// embeddedAway is how long an embedded store may fail to answer.
const embeddedAway = 4 * time.Second

// requestTimeout is longer than an fsync, and shorter than embeddedAway, so that a silent server is
// noticed in time.
const requestTimeout = 3 * time.Second

// A health distinguishes a failed store from a temporarily unreachable one, by the outcomes of
// requests.
type health struct {
	away   time.Duration
	failed context.Context // ends when the store has failed
	fail   context.CancelCauseFunc
	file   string
	info   os.FileInfo
	// checks more than the existence of the file; may be nil
	inspect func() error
	// the store could not be opened, so files of an earlier process must stay
	unopened atomic.Bool
	// Separate for each kind of request, because a full store may still deliver.
	put, take, reply streak
}

type streak struct {
	failing atomic.Bool
	mu      sync.Mutex
	since   time.Time // start of its first request
	last    time.Time // end of its last failed request
}

func newHealth(away time.Duration) *health {
	h := &health{away: away}
	h.failed, h.fail = context.WithCancelCause(context.Background())
	return h
}

// permanent matches errors that a retry cannot fix. 53100, 58…, XX001 and XX002 are codes of
// PostgreSQL.
var permanent = lazyregexp.New(`(?i)no space left|disk (quota|is full|full)|quota exceeded|` +
	`file too large|disk i/o error|read-?only|malformed|corrupt|not a database|no such table|` +
	`unable to open database|SQLSTATE (53100|58\w{3}|XX00[12]|3D000|3F000|42P01)|` +
	`OOM command|MISCONF|` +
	`maximum (bytes|messages|message size) exceeded|(resource|storage) limits? exceeded|` +
	`insufficient (storage )?resources|stream not found`)

func isPermanent(err error) bool { return err != nil && permanent.MatchString(err.Error()) }

// An error counts against the store unless the caller cancelled the request.
func (h *health) record(of *streak, begun time.Time, err error) error {
	switch {
	case err == nil:
		if of.failing.Load() {
			of.failing.Store(false)
		}
	case isPermanent(err):
		h.failWith(err)
	case errors.Is(err, context.Canceled):
	default:
		if lasted := of.failingFor(begun, time.Now()); lasted >= h.away {
			h.failWith(fmt.Errorf("no request has succeeded for %v, the last: %w",
				lasted.Round(time.Second/10), err))
		}
	}
	return err
}

// failingFor returns how long no request has succeeded. A gap longer than one request starts a new
// streak.
func (s *streak) failingFor(begun, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.failing.Load() || begun.Sub(s.last) > requestTimeout {
		s.since = begun
		s.failing.Store(true)
	}
	s.last = now
	return now.Sub(s.since)
}

func (h *health) within(
	ctx context.Context, d time.Duration, do func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	defer context.AfterFunc(h.failed, cancel)()
	return do(ctx)
}

func (h *health) untilDone(do func() error) error {
	for {
		begun := time.Now()
		err := h.record(&h.reply, begun, do())
		if err == nil || h.failed.Err() != nil {
			return err
		}
		sleep(h.failed, 100*time.Millisecond)
	}
}

// Writes to a deleted file succeed, but their data is lost.
func (h *health) watchFile(file string) {
	h.file = file
	h.info, _ = os.Stat(file) // nil counts as missing, which watch reports
}

func (h *health) fileGone() error {
	now, err := os.Stat(h.file)
	if err == nil && (h.info == nil || !os.SameFile(now, h.info)) {
		err = fmt.Errorf("%s is another now", h.file)
	}
	return err
}

func (h *health) failWith(err error) {
	if h.file != "" && h.fileGone() != nil {
		err = fmt.Errorf("%w: %w", engine.ErrGone, err)
	}
	h.fail(err)
}

const fileCheckInterval = time.Second

func (h *health) watch(ctx context.Context) error {
	var look <-chan time.Time
	if h.file != "" {
		tick := time.NewTicker(fileCheckInterval)
		defer tick.Stop()
		look = tick.C
	}
	for {
		select {
		case <-h.failed.Done():
			return context.Cause(h.failed)
		case <-ctx.Done():
			return nil
		case <-look:
			if err := h.fileGone(); err != nil {
				h.fail(fmt.Errorf("%w: %w", engine.ErrGone, err))
			} else if h.inspect == nil {
				continue
			} else if err := h.inspect(); err != nil {
				h.fail(err)
			}
		}
	}
}

func (h *health) withHealth(b engine.Broker) engine.Broker {
	put, work := b.Put, b.Work
	b.Watch = h.watch
	b.Put = func(ctx context.Context, body []byte) error {
		begun := time.Now()
		err := put(ctx, body)
		if err != nil && ctx.Err() != nil {
			return err
		}
		return h.record(&h.put, begun, err)
	}
	b.Work = func(ctx context.Context, limit int, do func(engine.Message)) {
		work(ctx, limit, func(m engine.Message) {
			_ = h.record(&h.take, time.Time{}, nil)
			do(watchedMessage{m, h})
		})
	}
	return b
}

func (h *health) consume(
	ctx context.Context, limit int, next func(context.Context) (engine.Message, error),
	do func(engine.Message),
) {
	engine.Consume(ctx, limit, func(ctx context.Context) (engine.Message, error) {
		begun := time.Now()
		m, err := next(ctx)
		if err != nil && ctx.Err() == nil {
			_ = h.record(&h.take, begun, err)
		}
		return m, err
	}, do)
}

type watchedMessage struct {
	engine.Message
	of *health
}

func (m watchedMessage) Reply(r engine.Reply) error {
	begun := time.Now()
	return m.of.record(&m.of.reply, begun, m.Message.Reply(r))
}

type healthLog struct {
	slog.Handler
	of *health
}

func (l healthLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

func (l healthLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" || a.Key == "error" {
			err := registry.Postgres.PublicError(errors.New(a.Value.String()))
			_ = l.of.record(&l.of.take, r.Time, err)
		}
		return true
	})
	return nil
}

func (l healthLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l healthLog) WithGroup(string) slog.Handler { return l }
