package builtin

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// tickerLimited starts one task per tick of a time.Ticker, in order, while fewer than Limit run. A
// task waits for the next tick even when idle, half an interval on average.
//
// A Ticker keeps one tick and drops others, so after a pause two starts can be closer than the
// interval, but never three. For Poisson arrivals of tasks of length zero the delay is (W + U −
// D)⁺, where D is the interval, W the wait of an M/D/1 queue with service time D, and U uniform on
// (0, D).
//
// The slot is taken before the tick, so no task holds a tick while it waits for a slot.
type tickerLimited struct {
	engine.PerTask // its Slots bound acceptance: Limit + Queue
	// one element for each task that runs, or has a slot and waits for a tick
	runs chan struct{}
}

var tickerLimitedSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "ticker_limited",
	Summary: "one task per tick of a time.Ticker",
	UseIf:   "starts must be evenly spaced, and an unused tick is lost",
	Source:  "limited concurrency in Go: rate limiting with time.Ticker",
	Go: func(p strategies.Params) string { // a Ticker keeps one tick
		return pacedGroup(p.Values.Float("rate"), 1, p.Limit)
	},
	OnPanic: "contained; the task's goroutine ends and its slot is given back",
	Keys: []param.Key{{Name: "rate", Kind: param.Float, Default: "1000", Word: ofTarget,
		Doc: "ticks per second; target: as many as the target allows"}},

	FIFO: true,
	Starts: func(p strategies.Params) strategies.Starts {
		return strategies.Starts{PerSecond: p.Values.Float("rate")}
	},

	Check: func(p strategies.Params) error {
		if rate := p.Values.Float("rate"); rate < 1e-6 || rate > 1e9 {
			return errors.New("rate must be from 0.000001 to 1e9 per second")
		}
		return nil
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &tickerLimited{runs: make(chan struct{}, p.Limit)}
		s.Slots = make(chan struct{}, p.Limit+p.Queue)
		s.Release = func(*strategies.Task) { <-s.runs }
		s.Open(ctx, sink, make(chan *strategies.Task, p.Limit+p.Queue))
		ticker := time.NewTicker(tickInterval(p.Values))
		s.Alive.Go(func() {
			defer ticker.Stop()
			s.startTasks(ticker.C)
		})
		return s
	},
}))

var _ = strategies.RegisterPart(engine.Paced(tickerLimitedSpec, strategies.Part{
	Summary: "a ticker: one task per tick for the inner strategy; an unused tick is lost",
}, func(v param.Values) engine.Pacer { return &ticks{interval: tickInterval(v)} }))

// tickInterval rounds up, because a target with that rate refuses calls a fraction of a nanosecond
// early.
func tickInterval(v param.Values) time.Duration {
	return time.Duration(math.Ceil(float64(time.Second) / v.Float("rate")))
}

// ticks are the numbered ticks of a time.Ticker. The last is kept, so no timer runs while no task
// waits.
type ticks struct {
	interval time.Duration
	lastTick time.Duration // number of the last tick used; 0: none
}

func (k *ticks) At(now time.Duration, _ time.Time) time.Duration {
	if now/k.interval > k.lastTick {
		return now
	}
	return (k.lastTick + 1) * k.interval
}

func (k *ticks) Spend(now time.Duration) { k.lastTick = now / k.interval }

// The queue has room for all admitted tasks.
func (s *tickerLimited) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	s.Enqueue(t)
	return nil
}

func (s *tickerLimited) startTasks(ticks <-chan time.Time) {
	for t := range s.Jobs {
		if s.ready(ticks) {
			go s.Thunk(t)()
			continue
		}
		<-s.Slots
		s.Settle(t, strategies.Result{Err: s.GiveUp()})
	}
}

func (s *tickerLimited) ready(ticks <-chan time.Time) bool {
	select {
	case s.runs <- struct{}{}:
	case <-s.Ctx.Done():
		return false
	}
	select {
	case <-ticks:
		return true
	case <-s.Ctx.Done():
		<-s.runs
		return false
	}
}
