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

// tickerLimited starts one task per tick of a time.Ticker, in order, as long as fewer than Limit of
// them run: the ticker limits how often tasks start, Limit how many there are at once. Limit +
// Queue tasks may be inside; then Submit blocks.
//
// Use it to stay below a rate that somebody else enforces, when there is no need to use up what was
// left unused. It costs a wait for the next tick even if nothing is going on (half an interval on
// average), the start of a goroutine per task, and a timer that fires as long as a task waits for
// it.
//
// A Ticker keeps one tick, and drops those for which there is no room. So after a pause one task
// starts at once and the next with the tick after, which may come at any moment: two starts can be
// closer to each other than the interval, and the third is always further from the first. For
// Poisson arrivals of tasks that take no time the delay is (W + U − D)⁺, with D the interval, W the
// wait of an M/D/1 queue with service time D and U uniform on (0, D): slots of length D, less the
// one tick that may be in store.
//
// The pattern has the one worker receive a task, then the tick, and then run the task, so that a
// task longer than the interval slows it down; here the next one starts meanwhile, within Limit.
// The order is kept: a slot is taken before the tick is, so that no tick is in hand while another
// is kept.
type tickerLimited struct {
	engine.PerTask // its slots are those of acceptance: Limit + Queue
	// holds one element for each task that runs or waits for a tick with its slot taken
	runs chan struct{}
}

var tickerLimitedSpec = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "ticker_limited",
	Summary: "one task per tick of a time.Ticker",
	UseIf:   "starts must be evenly spaced, and an unused tick is lost",
	Source:  "limited concurrency in Go: rate limiting with time.Ticker",
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
			s.startAll(ticker.C)
		})
		return s
	},
}))

var _ = strategies.RegisterPart(engine.Paced(tickerLimitedSpec, strategies.Part{
	Summary: "a ticker: one task per tick for the strategy inside, and an unused tick is lost",
}, func(v param.Values) engine.Pacer { return &ticks{interval: tickInterval(v)} }))

// tickInterval is rounded up: a target of that rate refuses who comes a fraction of a nanosecond
// too soon.
func tickInterval(v param.Values) time.Duration {
	return time.Duration(math.Ceil(float64(time.Second) / v.Float("rate")))
}

// ticks are those of a time.Ticker by number: the last one is kept until it is taken, and so no
// timer fires while nothing waits.
type ticks struct {
	interval time.Duration
	taken    time.Duration // the number of the last one; 0: none
}

func (k *ticks) At(now time.Duration, _ time.Time) time.Duration {
	if now/k.interval > k.taken {
		return now
	}
	return (k.taken + 1) * k.interval
}

func (k *ticks) Spend(now time.Duration) { k.taken = now / k.interval }

// Submit blocks until there is room; the queue has room for all that are admitted.
func (s *tickerLimited) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	s.Enqueue(t)
	return nil
}

// startAll starts the tasks one by one.
func (s *tickerLimited) startAll(ticks <-chan time.Time) {
	for t := range s.Jobs {
		if s.ready(ticks) {
			go s.Thunk(t)()
			continue
		}
		<-s.Slots
		s.Settle(t, strategies.Result{Err: s.GiveUp()})
	}
}

// ready waits for a slot and then for a tick, and says false if ctx has ended.
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
