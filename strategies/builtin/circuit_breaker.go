package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// circuitBreaker stops calls to a failing service, as resilience4j does. When the share of failed
// or slow calls in the window is too large, the circuit opens and no task runs for a while. Then a
// few trial calls run (half-open), whose results close the circuit or open it again.
//
// With a period, all calls of that time count, in nine complete tenths and the current one, which
// bounds memory. With a wait, a half-open circuit opens again that long after the start of its last
// trial, so a trial that hangs cannot keep it half-open.
//
// The breaker is checked in Submit and again at the start of a task. A request for another attempt
// counts as a failure. Panics, cancelled calls and calls that began before a change of state do not
// count.
type circuitBreaker struct {
	engine.Layer[breakerCall]
	window, trials int
	failures, slow float64 // shares
	slowAfter      time.Duration
	open, wait     time.Duration
	part           time.Duration // length of a part of the period; 0: the window counts calls
	began          time.Time

	mu       sync.Mutex
	state    circuit
	epoch    uint64        // number of state changes
	deadline time.Duration // end of the open state, or of the wait for half-open trials
	outcomes []uint8       // closed: ring of the outcomes of the last calls
	at       int
	parts    [periodParts]tally // closed, with a period: ring of the counts of each part
	newest   int64              // number of the current part since began
	admitted int                // half-open: trials that started and count
	counts   tally
	opened   int64
}

const periodParts = 10

type circuit int

const (
	closedCircuit circuit = iota
	openCircuit
	halfOpenCircuit
)

type breakerCall struct {
	let   bool
	epoch uint64
	began time.Duration
}

type tally struct{ calls, failed, slow int }

const (
	failedCall uint8 = 1 << iota
	slowCall
)

func (t *tally) add(outcome uint8, n int) {
	t.calls += n
	if outcome&failedCall != 0 {
		t.failed += n
	}
	if outcome&slowCall != 0 {
		t.slow += n
	}
}

var circuitBreakerPart = strategies.RegisterPart(strategies.Part{
	Name: "circuit_breaker",
	Summary: "refuses tasks while too many of the last calls failed or were slow; after some " +
		"time, a few trial calls are admitted",
	Changes: strategies.Admission,
	Keys: []param.Key{
		{Name: "window", Kind: param.Int, Default: "100",
			Doc: "number of last calls to consider; with fewer calls, the circuit stays closed"},
		{Name: "period", Kind: param.Duration, Default: "0s",
			Doc: "consider all calls within this time instead; 0s: consider the last window calls"},
		{Name: "failures", Kind: param.Float, Default: "0.5",
			Doc: "share of failures at which the circuit opens"},
		{Name: "after", Kind: param.Duration, Default: "0s",
			Doc: "duration above which a call is slow; 0s: no call is slow"},
		{Name: "slow", Kind: param.Float, Default: "0.5",
			Doc: "share of slow calls at which the circuit opens"},
		{Name: "open", Kind: param.Duration, Default: "5s",
			Doc: "time from the opening of the circuit to the trial calls"},
		{Name: "trials", Kind: param.Int, Default: "10",
			Doc: "number of trial calls; by the same shares they close or reopen the circuit"},
		{Name: "wait", Kind: param.Duration, Default: "0s",
			Doc: "reopen if a trial call has not ended after this time from the last trial; 0s: " +
				"wait for it"},
	},
	Check: checkBreaker,
	Alter: func(s *strategies.Spec, _ strategies.Spec, _ strategies.Layer) {
		s.Trips, s.WorkConserving = true, false // a slot may be idle while the circuit is open
		s.Counts = append(s.Counts[:len(s.Counts):len(s.Counts)], circuitsOpened)
	},
	Start: func(
		ctx context.Context, own param.Values, inner strategies.Spec, in strategies.Params,
		sink strategies.Sink,
	) strategies.Strategy {
		window := own.Int("window")
		s := &circuitBreaker{
			window: window, trials: own.Int("trials"),
			failures: own.Float("failures"), slow: own.Float("slow"),
			slowAfter: own.Duration("after"), open: own.Duration("open"),
			wait: own.Duration("wait"), began: time.Now(),
		}
		if period := own.Duration("period"); period > 0 {
			s.part = max(period/periodParts, 1)
		} else {
			s.outcomes = make([]uint8, window)
		}
		s.Layer.Start(ctx, inner, in, sink, s.run, s.ended)
		return s
	},
})

var _ = strategies.RegisterBuiltin(strategies.PartStrategy(circuitBreakerPart, workerPoolSpec,
	strategies.Spec{
		Summary: "a worker pool that refuses tasks while too many of the last calls failed or " +
			"were slow",
		UseIf:   "a failing service answers late, and its callers should not wait",
		Source:  "Nygard, Release It! (2007); the states and windows of resilience4j",
		Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Calls},
		OnPanic: "contained, and not counted as a call; the worker is replaced",
	}))

var circuitsOpened = strategies.Counter{Name: metric.CircuitOpened, Better: "",
	Doc: "number of times that a circuit opened or reopened"}

const maxWindow = 1 << 20

func checkBreaker(p strategies.Params) error {
	share := func(name string) error {
		if f := p.Values.Float(name); !(f > 0 && f <= 1) {
			return fmt.Errorf("%s %v: want a share above 0 and at most 1", name, f)
		}
		return nil
	}
	err := cmp.Or(p.Values.CheckRange("window", 1, maxWindow),
		p.Values.CheckRange("trials", 1, maxWindow), share("failures"), share("slow"))
	if err == nil && p.Values.Duration("open") <= 0 {
		err = errors.New("open must be above 0")
	}
	return err
}

func (s *circuitBreaker) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	lets := s.admits()
	s.mu.Unlock()
	if !lets {
		return strategies.ErrShed
	}
	return s.Layer.Submit(ctx, t)
}

func (s *circuitBreaker) admits() bool {
	if s.state == closedCircuit {
		return true
	}
	s.updateState(time.Since(s.began))
	return s.state == halfOpenCircuit && s.admitted < s.trials
}

// updateState applies state changes that are due. No timer runs for them.
func (s *circuitBreaker) updateState(now time.Duration) {
	if s.state == halfOpenCircuit {
		s.expireTrials(now)
	}
	if s.state == openCircuit && now >= s.deadline {
		s.setState(halfOpenCircuit, now)
	}
}

// The new open period starts at the deadline of the trials.
func (s *circuitBreaker) expireTrials(now time.Duration) {
	if s.wait > 0 && s.admitted > s.counts.calls && now >= s.deadline {
		s.setState(openCircuit, s.deadline)
	}
}

func (s *circuitBreaker) setState(state circuit, now time.Duration) {
	s.state, s.counts, s.at, s.admitted = state, tally{}, 0, 0
	s.epoch++
	switch state {
	case openCircuit:
		s.deadline = engine.Prolong(now, s.open)
		s.opened++
	case closedCircuit:
		s.parts = [periodParts]tally{}
	}
}

// The breaker is checked at the first step of a task only.
func (s *circuitBreaker) run(
	ctx context.Context, c *engine.Call[breakerCall],
) strategies.Result {
	if !c.Own.let {
		s.mu.Lock()
		if c.Own.let = s.admits(); c.Own.let {
			s.admitted++
			c.Own.epoch, c.Own.began = s.epoch, time.Since(s.began)
			if s.state == halfOpenCircuit {
				s.deadline = engine.Prolong(c.Own.began, s.wait)
			}
		}
		s.mu.Unlock()
		if !c.Own.let {
			return strategies.Result{Err: strategies.ErrShed}
		}
	}
	return c.For.Run(ctx, c.For)
}

func (s *circuitBreaker) ended(
	c *engine.Call[breakerCall], r strategies.Result,
) strategies.Result {
	if !c.Own.let {
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.began)
	if s.state == halfOpenCircuit {
		s.expireTrials(now)
	}
	switch {
	case c.Own.epoch != s.epoch:
	case isNoCall(r):
		s.admitted--
	default:
		s.count(s.outcomeOf(r, now-c.Own.began), now)
	}
	return r
}

func isNoCall(r strategies.Result) bool {
	_, panicked := errors.AsType[*strategies.PanicError](r.Err)
	return panicked || errors.Is(r.Err, strategies.ErrGoexit) ||
		errors.Is(r.Err, strategies.ErrAbandoned) || errors.Is(r.Err, context.Canceled)
}

func (s *circuitBreaker) outcomeOf(r strategies.Result, took time.Duration) (outcome uint8) {
	if r.Err != nil || r.Retry {
		outcome |= failedCall
	}
	if s.slowAfter > 0 && took > s.slowAfter {
		outcome |= slowCall
	}
	return outcome
}

func (s *circuitBreaker) count(outcome uint8, now time.Duration) {
	enough := s.window
	switch {
	case s.state == halfOpenCircuit:
		enough = s.trials
	case s.part > 0:
		s.dropExpired(int64(now / s.part))
		s.parts[s.newest%periodParts].add(outcome, 1)
	default:
		if s.counts.calls == s.window {
			s.counts.add(s.outcomes[s.at], -1)
		}
		s.outcomes[s.at] = outcome
		s.at = (s.at + 1) % s.window
	}
	switch s.counts.add(outcome, 1); {
	case s.counts.calls < enough:
	case s.exceedsThreshold():
		s.setState(openCircuit, now)
	case s.state == halfOpenCircuit:
		s.setState(closedCircuit, now)
	}
}

func (s *circuitBreaker) dropExpired(newest int64) {
	for n := min(newest-s.newest, periodParts); n > 0; n-- {
		old := &s.parts[(newest-n+1)%periodParts]
		s.counts.calls -= old.calls
		s.counts.failed -= old.failed
		s.counts.slow -= old.slow
		*old = tally{}
	}
	s.newest = newest
}

// Thresholds are rounded up to whole calls, with tolerance for floating-point error.
func (s *circuitBreaker) exceedsThreshold() bool {
	least := func(share float64) int { return int(math.Ceil(share*float64(s.counts.calls) - 1e-9)) }
	return s.counts.failed >= least(s.failures) || s.counts.slow >= least(s.slow)
}

func (s *circuitBreaker) Counts() []strategies.Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(strategies.CountsOf(s.Inside), strategies.Count{Name: circuitsOpened.Name,
		Value: s.opened})
}
