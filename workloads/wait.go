package workloads

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

type waiter struct {
	time func(s *slot, seq uint64) time.Duration
	// nil: the runtime's timers
	sleep Sleep
	// a *slot per task in flight, per instance because a timer must not leave its synctest bubble
	slots sync.Pool

	watch atomic.Pointer[watch] // nil until a context is watched
	mu    sync.Mutex
	seen  <-chan struct{} // Done channel of the last context, until one is watched
}

// slot has the objects that a task would otherwise allocate.
type slot struct {
	pcg   rand.PCG
	rand  *rand.Rand // draws from pcg
	timer *time.Timer
}

func (s *slot) seed(seed, seq uint64) *rand.Rand {
	if s.rand == nil {
		s.rand = rand.New(&s.pcg)
	}
	s.pcg.Seed(seed, seq)
	return s.rand
}

func (w *waiter) SleepBy(sleep Sleep) { w.sleep = sleep }

// A context that cannot end costs a time.Sleep, a watched context a timer, and any other a timer
// and a select.
func (w *waiter) Do(ctx context.Context, seq uint64) error {
	return w.wait(ctx, seq, 0, math.MaxInt64)
}

func (w *waiter) DoPart(
	ctx context.Context, seq uint64, from, length time.Duration,
) (more bool, err error) {
	return w.Time(seq)-from > length, w.wait(ctx, seq, from, length)
}

// wait has two defers and seven returns. With one more return, Go would allocate a defer list.
func (w *waiter) wait(ctx context.Context, seq uint64, from, length time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.sleep != nil {
		return w.sleep(ctx, min(w.Time(seq)-from, length))
	}
	done := ctx.Done()
	if done == nil {
		time.Sleep(min(w.Time(seq)-from, length))
		return nil
	}
	if over := w.watchOver(ctx, done); over != nil {
		p := over.acquire()
		defer over.putBack(p)
		return p.wait(ctx, min(w.time(&p.slot, seq)-from, length))
	}
	s := w.slot()
	defer w.slots.Put(s)
	d := min(w.time(s, seq)-from, length)
	if d <= 0 {
		return nil
	}
	s.set(d)
	select {
	case <-s.timer.C:
		return nil
	case <-done:
		s.timer.Stop() // no tick remains in the channel since Go 1.23
		return ctx.Err()
	}
}

func (w *waiter) Time(seq uint64) time.Duration {
	s := w.slot()
	d := w.time(s, seq)
	w.slots.Put(s)
	return d
}

func (w *waiter) slot() *slot {
	if s, used := w.slots.Get().(*slot); used {
		return s
	}
	return new(slot)
}

type waits struct {
	waiter
	dist dist.Dist
	seed uint64
}

func newWaits(seed uint64, d dist.Dist) *waits {
	w := &waits{dist: d, seed: seed}
	w.time = w.draw
	return w
}

func drawn(
	of func(v param.Values) (dist.Dist, error),
) func(seed uint64, v param.Values) (Workload, error) {
	return func(seed uint64, v param.Values) (Workload, error) {
		d, err := of(v)
		if err != nil {
			return nil, err
		}
		return newWaits(seed, d), nil
	}
}

func (w *waits) draw(s *slot, seq uint64) time.Duration {
	return w.dist.Sample(s.seed(w.seed, seq))
}

func (w *waits) Mean() time.Duration { return w.dist.Mean() }

func (w *waits) C2() float64 { return w.dist.C2() }

func (w *waits) Dist() dist.Dist { return w.dist }

var meanKey = param.Key{Name: "mean", Kind: param.Duration, Default: "10ms",
	Doc: "mean time of a task"}

func ofMean[D dist.Dist](of func(time.Duration) D) func(uint64, param.Values) (Workload, error) {
	return drawn(func(v param.Values) (dist.Dist, error) {
		mean, err := positiveMean(v)
		return of(mean), err
	})
}

// positiveMean requires the parameter mean to be above 0.
func positiveMean(v param.Values) (time.Duration, error) {
	mean := v.Duration("mean")
	if mean <= 0 {
		return 0, fmt.Errorf("mean: must be positive, got %s", dist.FormatDuration(mean))
	}
	return mean, nil
}
