package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/progress"
)

// A guard runs the strategy's code, which may hang, panic or leave goroutines behind.
type guard struct {
	scenario Scenario
	mark     machine.Mark
	tracker  *progress.Tracker
	hang     *progress.Detector
	stage    atomic.Int32
	driver   atomic.Pointer[driver] // nil before stage playing
}

// Stages of a run. A lack of progress is an error only from playing on, because building a workload
// and counting records may take long.
const (
	building = iota
	playing
	counting
	leaving // the run has nothing left to do
)

// perService is the minimum duration of a hang under the real clock, in mean service times, in
// addition to the usual limit.
const perService = 20

// HangLimit returns the time without progress after which the scenario's run hangs: limit, or if
// that is 0, POOLBENCH_PATIENCE or 30 s, plus 20 mean service times under the real clock.
func (s Scenario) HangLimit(limit time.Duration) (time.Duration, error) {
	if limit != 0 {
		return limit, nil
	}
	limit, err := machine.Patience()
	if err != nil {
		return 0, err
	}
	if s = s.withDefaults(); s.Clock == Real {
		if w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values); err == nil {
			limit += perService * w.Mean()
			_ = closeWorkload(w) // the run reports this error
		}
	}
	return limit, nil
}

const deadlock = "every goroutine waits for another"

func newGuard(ctx context.Context, s Scenario) (*guard, error) {
	tracker := progress.FromContext(ctx)
	limit, err := s.HangLimit(tracker.Limit)
	return &guard{scenario: s, mark: machine.NewMark(), tracker: tracker,
		hang: progress.NewDetector(limit)}, err
}

func (g *guard) observe(ctx context.Context) (run measurement, err error) {
	done := make(chan struct{})
	var left machine.Stacks
	go func() {
		defer close(done)
		g.mark.Set(ctx)
		play := func(ctx context.Context) {
			if e := g.contain(func() { run, err = drive(ctx, g.scenario, g) }); e != nil {
				err = e
			}
			g.stage.Store(leaving)
		}
		if g.scenario.Clock == Real {
			play(ctx)
			return
		}
		e := bubble(func() { play(progress.NewContext(context.Background(), g.tracker)) })
		switch {
		case e != nil && g.stage.Load() == leaving:
			left = g.mark.Stacks()
		case e != nil:
			err = g.hangError(deadlock)
		}
	}()
	if why := g.watch(done); why != nil {
		return measurement{}, g.giveUp(done, why)
	}
	if err != nil {
		return measurement{}, err
	}
	if run.Left = left; g.scenario.Clock == Real {
		run.Left = g.leftGoroutines()
	}
	return run, nil
}

// watch returns why the run must be given up.
func (g *guard) watch(done <-chan struct{}) error {
	tick := pace.NewTicker(progress.Interval)
	defer tick.Stop()
	var awake <-chan time.Time
	if g.scenario.Clock == Real && runtime.GOMAXPROCS(0) == 1 {
		// With one processor, a goroutine that the network poller wakes may run for a minute
		// without preemption. The monitor that preempts it (sysmon, Go 1.26) sleeps after the
		// process was idle, and only runtime timers wake sysmon.
		t := time.NewTicker(progress.Interval)
		defer t.Stop()
		awake = t.C
	}
	for {
		select {
		case <-done:
			return nil
		case <-awake:
			continue
		case <-tick.C:
		}
		now := g.tracker.Pulse()
		if stage := g.stage.Load(); stage == building || stage == counting {
			now.Early = true
		}
		if err := g.hang.Observe(now); err != nil && g.hang.Quiet() > g.longest() {
			return err
		}
	}
}

func (g *guard) giveUp(done <-chan struct{}, why error) *StrategyError {
	e := g.hangError(why.Error())
	e.Goes = true
	if d := g.driver.Load(); d != nil && g.scenario.Clock == Real {
		// a bubble cannot be ended from outside
		d.fail(e)
		select {
		case <-done:
			e.Goes = false
		case <-time.After(min(giveUpGrace, g.hang.Limit())):
		}
	}
	return e
}

const giveUpGrace = time.Second

func (g *guard) longest() time.Duration {
	if g.stage.Load() != playing || g.scenario.Clock == Virtual {
		return 0
	}
	return g.driver.Load().longest()
}

func (g *guard) leftGoroutines() (left machine.Stacks) {
	for wait := time.Millisecond; wait < time.Second; wait *= 2 {
		if left = g.mark.Stacks(); len(left) == 0 {
			return nil
		}
		time.Sleep(wait)
	}
	return left
}

// contain calls f in a new goroutine. It returns a panic or runtime.Goexit in f as an error.
func (g *guard) contain(f func()) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.call(f, func(e *StrategyError) { err = e })
	}()
	<-done
	return err
}

func (g *guard) call(f func(), fail func(*StrategyError)) {
	returned := false
	defer func() {
		if v := recover(); !returned {
			fail(g.abortError(v, machine.StacksHere()))
		}
	}()
	f()
	returned = true
}

// v is the value of the panic, or nil for a Goexit.
func (g *guard) abortError(v any, where machine.Stacks) *StrategyError {
	did := fmt.Sprintf("panicked: %v", v)
	if v == nil {
		did = "ended the goroutine of its caller (runtime.Goexit)"
	}
	call, _ := hangingCall(where)
	if call == "" { // the strategy is not involved
		return &StrategyError{Did: fmt.Sprintf("the run itself %s, at %s", did, where.Brief()),
			Stacks: where.String()}
	}
	return g.blame(where, "%s %s; by clause 7 (Panic) it returns", call, did)
}

func (g *guard) hangError(seen string) *StrategyError {
	stacks := g.mark.Stacks()
	call, by := hangingCall(stacks)
	where := stacks.First(by)
	accepted, running := 0, 0
	if d := g.driver.Load(); d != nil {
		accepted, running = d.countAccepted()
		if first := d.failed.Load(); first != nil {
			seen = first.Did + "; then " + seen
		}
	}
	inHand := fmt.Sprintf("unfinished tasks: %d, running: %d", accepted, running)
	switch {
	case call == "New":
		return g.blame(where, "New does not return: %s", seen)
	case call == "Submit":
		return g.blame(where, "Submit does not return: %s; %s; by clause 3 (BlocksOrSheds) it "+
			"blocks only while the instance is full", seen, inHand)
	case call == "Drain":
		return g.blame(where,
			"Drain does not return: %s; %s; by clause 5 (Drain) it returns when all are done", seen,
			inHand)
	case g.stage.Load() == leaving:
		return g.blame(where, "Drain has returned, and goroutines go on for ever: %s; by clause "+
			"5 (Drain) none is left", seen)
	case g.scenario.Clock == Virtual && g.stage.Load() == playing && seen != deadlock:
		return g.blame(where,
			"the virtual clock stands still, because a goroutine spins or waits for a mutex: %s; "+
				"%s",
			seen, inHand)
	case running > 0:
		return g.blame(where, "tasks do not end: %s; %s", seen, inHand)
	}
	return g.blame(where,
		"a task is accepted and never done: %s; %s; by clause 2 (Once) each is done", seen, inHand)
}

func hangingCall(stacks machine.Stacks) (function, by string) {
	for function, by := range map[string]string{"New": "bench.(*driver).open",
		"Submit": "bench.(*driver).submit", "Drain": "bench.(*driver).drain"} {
		if stacks.Contains(by) {
			return function, by
		}
	}
	return "", ""
}

func (g *guard) blame(where machine.Stacks, format string, a ...any) *StrategyError {
	e := &StrategyError{Strategy: g.scenario.Strategy.String(), Did: fmt.Sprintf(format, a...)}
	if where = where.Foreign(); len(where) > 0 {
		e.Did += "; at " + where.Brief()
		e.Stacks = where.String()
	}
	return e
}

// A StrategyError means that the strategy made the run impossible to finish. A lesser fault is a
// broken law of the Result.
type StrategyError struct {
	Strategy string // name and parameters of the strategy; empty if the run itself panicked
	Did      string
	Stacks   string // stacks of the goroutines concerned, one call per line
	// true if the strategy may still be running, until the process ends
	Goes bool
}

func (e *StrategyError) Error() string {
	if e.Strategy == "" {
		return e.Did
	}
	return e.Strategy + ": " + e.Did
}
