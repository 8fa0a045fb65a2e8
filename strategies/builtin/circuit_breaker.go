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

// circuitBreaker stops calls to a failing service: when the share of failures and slow calls among
// the last ones is too large, no task runs for a while (open). Then a few trials run (half-open),
// and their results close it or keep it open as long again.
//
// Use it where a service in trouble answers late or not at all, and callers have an alternative to
// waiting. It costs the calls that would have succeeded while open, a mutex per task, and
// parameters that fit the traffic: with a window of 100 calls and one call per second, detection
// takes a minute. With a period, the calls within that time count once there are window of them, so
// old failures are forgotten in variable traffic.
//
// With a wait, a half-open circuit opens again that long after its last trial began, so a hanging
// trial cannot keep it half-open, and later results are ignored. While more trials are yet to come
// the circuit stays half-open.
//
// The breaker is checked at the start of a task as well as in Submit: a task that is queued when
// the circuit opens is done with ErrShed, and a half-open circuit runs only its trials. Submit
// returns ErrShed for a task that would not run now. Calls that began before a change of state are
// not counted.
//
// A call fails with any error of its own or a request for another attempt. Panics and cancelled
// calls do not count.
//
// States, half-open rule and both windows are those of resilience4j. A period is kept in ten parts
// to bound memory: the last nine tenths count fully, the tenth before them partly.
type circuitBreaker struct {
	engine.Layer[breakerCall]
	window, trials int
	failures, slow float64 // shares
	slowAfter      time.Duration
	open, wait     time.Duration
	part           time.Duration // of the period; 0: the window is of calls
	began          time.Time

	mu     sync.Mutex
	state  circuit
	epoch  uint64        // of the state: it changes with it
	until  time.Duration // open until then; half-open: the trials are to have ended by then
	last   []uint8       // closed: the outcomes of the last calls, as a ring
	at     int
	parts  [periodParts]tally // closed, with a period: the calls of each, as a ring
	newest int64              // number of the part that it is, since began
	let    int                // half-open: calls that were let through and count
	bad    tally
	opened int64
}

const periodParts = 10

type circuit int

const (
	closedCircuit circuit = iota
	openCircuit
	halfOpenCircuit
)

// breakerCall is the breaker's record of a started task.
type breakerCall struct {
	let   bool
	epoch uint64
	began time.Duration
}

// A tally counts calls, failures and slow calls.
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
	Summary: "tasks are refused while too many of the last calls failed or were slow; after a " +
		"while a few are let through to see",
	Changes: strategies.Admission,
	Keys: []param.Key{
		{Name: "window", Kind: param.Int, Default: "100",
			Doc: "number of last calls considered; the circuit stays closed until there are as " +
				"many"},
		{Name: "period", Kind: param.Duration, Default: "0s",
			Doc: "consider all calls of this time instead; 0s: the last window"},
		{Name: "failures", Kind: param.Float, Default: "0.5",
			Doc: "share of failures among them at which the circuit opens"},
		{Name: "after", Kind: param.Duration, Default: "0s",
			Doc: "a call that takes longer is slow; 0s: none is"},
		{Name: "slow", Kind: param.Float, Default: "0.5",
			Doc: "share of slow calls at which the circuit opens"},
		{Name: "open", Kind: param.Duration, Default: "5s",
			Doc: "time from opening to the trial calls"},
		{Name: "trials", Kind: param.Int, Default: "10",
			Doc: "trial calls let through; the same shares of them close or reopen the circuit"},
		{Name: "wait", Kind: param.Duration, Default: "0s",
			Doc: "reopen if a trial has not ended this long after the last began; 0s: wait for it"},
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
			s.last = make([]uint8, window)
		}
		s.Layer.Start(ctx, inner, in, sink, s.run, s.ended)
		return s
	},
})

var _ = strategies.RegisterBuiltin(strategies.Alone(circuitBreakerPart, workerPoolSpec,
	strategies.Spec{
		Summary: "a worker pool that is called no more while too many of the last calls failed or " +
			"were slow",
		UseIf:   "a service in trouble answers late, and its callers need not wait for it",
		Source:  "Nygard, Release It! (2007); the states and windows of resilience4j",
		Twin:    strategies.Twin{Of: workerPoolSpec.Name, Unless: strategies.Calls},
		OnPanic: "contained, and counted as no call; the worker is replaced",
	}))

var circuitsOpened = strategies.Counter{Name: metric.CircuitOpened, Better: "",
	Doc: "times that the circuit of a breaker opened, again included"}

// mostWindow bounds the window, which uses a byte per call.
const mostWindow = 1 << 20

func checkBreaker(p strategies.Params) error {
	share := func(name string) error {
		if f := p.Values.Float(name); !(f > 0 && f <= 1) {
			return fmt.Errorf("%s %v: want a share above 0 and at most 1", name, f)
		}
		return nil
	}
	err := cmp.Or(p.Values.Within("window", 1, mostWindow),
		p.Values.Within("trials", 1, mostWindow), share("failures"), share("slow"))
	if err == nil && p.Values.Duration("open") <= 0 {
		err = errors.New("open must be above 0")
	}
	return err
}

// Submit refuses tasks that could not start now.
func (s *circuitBreaker) Submit(ctx context.Context, t *strategies.Task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	lets := s.lets()
	s.mu.Unlock()
	if !lets {
		return strategies.ErrShed
	}
	return s.Layer.Submit(ctx, t)
}

// lets reports whether a call may start now.
func (s *circuitBreaker) lets() bool {
	if s.state == closedCircuit {
		return true
	}
	s.look(time.Since(s.began))
	return s.state == halfOpenCircuit && s.let < s.trials
}

// look applies expired state changes. It runs only on demand.
func (s *circuitBreaker) look(now time.Duration) {
	if s.state == halfOpenCircuit {
		s.giveUp(now)
	}
	if s.state == openCircuit && now >= s.until {
		s.become(halfOpenCircuit, now)
	}
}

// giveUp opens a half-open circuit whose trials did not end in time, as of that time.
func (s *circuitBreaker) giveUp(now time.Duration) {
	if s.wait > 0 && s.let > s.bad.calls && now >= s.until {
		s.become(openCircuit, s.until)
	}
}

// become changes the state and clears the counts.
func (s *circuitBreaker) become(state circuit, now time.Duration) {
	s.state, s.bad, s.at, s.let = state, tally{}, 0, 0
	s.epoch++
	switch state {
	case openCircuit:
		s.until = engine.Prolong(now, s.open)
		s.opened++
	case closedCircuit:
		s.parts = [periodParts]tally{}
	}
}

// run checks the breaker at the start of a task, not for further steps.
func (s *circuitBreaker) run(
	ctx context.Context, c *engine.Call[breakerCall],
) strategies.Result {
	if !c.Own.let {
		s.mu.Lock()
		if c.Own.let = s.lets(); c.Own.let {
			s.let++
			c.Own.epoch, c.Own.began = s.epoch, time.Since(s.began)
			if s.state == halfOpenCircuit {
				s.until = engine.Prolong(c.Own.began, s.wait)
			}
		}
		s.mu.Unlock()
		if !c.Own.let {
			return strategies.Result{Err: strategies.ErrShed}
		}
	}
	return c.For.Run(ctx, c.For)
}

// ended counts an admitted call.
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
		s.giveUp(now)
	}
	switch {
	case c.Own.epoch != s.epoch:
	case isNoCall(r):
		s.let--
	default:
		s.count(s.outcomeOf(r, now-c.Own.began), now)
	}
	return r
}

// isNoCall reports whether a result shows nothing about the called service.
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

// count adds a call and decides once there are enough.
func (s *circuitBreaker) count(outcome uint8, now time.Duration) {
	enough := s.window
	switch {
	case s.state == halfOpenCircuit:
		enough = s.trials
	case s.part > 0:
		s.forget(int64(now / s.part))
		s.parts[s.newest%periodParts].add(outcome, 1)
	default:
		if s.bad.calls == s.window {
			s.bad.add(s.last[s.at], -1)
		}
		s.last[s.at] = outcome
		s.at = (s.at + 1) % s.window
	}
	switch s.bad.add(outcome, 1); {
	case s.bad.calls < enough:
	case s.isBad():
		s.become(openCircuit, now)
	case s.state == halfOpenCircuit:
		s.become(closedCircuit, now)
	}
}

// forget drops the expired parts of the period when newest is the current part.
func (s *circuitBreaker) forget(newest int64) {
	for n := min(newest-s.newest, periodParts); n > 0; n-- {
		old := &s.parts[(newest-n+1)%periodParts]
		s.bad.calls -= old.calls
		s.bad.failed -= old.failed
		s.bad.slow -= old.slow
		*old = tally{}
	}
	s.newest = newest
}

// isBad reports whether too many calls were bad. The threshold is rounded up to whole calls, with
// tolerance for floating-point error.
func (s *circuitBreaker) isBad() bool {
	least := func(share float64) int { return int(math.Ceil(share*float64(s.bad.calls) - 1e-9)) }
	return s.bad.failed >= least(s.failures) || s.bad.slow >= least(s.slow)
}

// Counts implements strategies.Counted.
func (s *circuitBreaker) Counts() []strategies.Count {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(strategies.CountsOf(s.Inside), strategies.Count{Name: circuitsOpened.Name,
		Value: s.opened})
}
