package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Scenario is one point to be measured: a strategy, what its tasks cost and call, when they are due, and how many there are.
// Every field has a useful zero: see the field.
type Scenario struct {
	Strategy strategies.Variant // what bounds the tasks; required
	Limit    int                // most tasks in flight; 0 is 4
	Queue    int                // places of the strategy's queue, where it has one
	Workload workloads.Variant  // what a task costs; zero is exponential
	Target   targets.Variant    // what a task calls; zero is none
	Load     Load               // when tasks are due; zero is poisson at load 0.7
	Stop     Stop               // how many tasks; zero is 20000 of which the first tenth is warm-up
	Deadline time.Duration      // goodput counts the tasks whose response met it; 0 counts every completed task
	Timeout  time.Duration      // a task's context ends so long after an attempt began, and the task has failed; 0: never
	Drain    time.Duration      // what is not done so long after the last task was submitted is abandoned; 0: nothing is
	Seed     uint64             // of arrivals and task times: the same seed is the same work
	Clock    Clock              // zero is Real
}

// Load says when tasks are due. Relative and PerSecond exclude each other; an arrival process that settles its own intensity takes neither.
type Load struct {
	Arrival   arrivals.Variant // zero is poisson
	Relative  float64          // arrival rate as a share of the capacity limit/E[S] (for CPU work min(limit, GOMAXPROCS)/E[S])
	PerSecond float64          // arrival rate in tasks per second
}

// Stop says how long a run goes on: for Tasks tasks or, when that is 0, until Duration is over.
type Stop struct {
	Tasks    int
	Duration time.Duration
	Warmup   float64 // share of the tasks, the first ones by due time, that are driven but not counted; in [0, 1)
}

// Clock is the time that a run lives in.
type Clock int

// The clocks. They are kept apart: every result says which one it was.
const (
	Real    Clock = iota // overheads, contention, GC, sockets, CPU
	Virtual              // scheduling alone: exact, and repeatable to the nanosecond for a seed
)

func (c Clock) String() string {
	if c == Virtual {
		return "virtual"
	}
	return "real"
}

// ParseClock is the inverse of String.
func ParseClock(s string) (Clock, error) {
	for _, c := range []Clock{Real, Virtual} {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("unknown clock %q (known: real, virtual)", s)
}

// Defaults of a scenario. What is at its default is left out of the scenario's name.
const (
	defaultLimit    = 4
	defaultRelative = 0.7
)

var defaultStop = Stop{Tasks: 20_000, Warmup: 0.1}

// maxTasks bounds the memory of a run: at 64 bytes a task, 6.4 GB.
const maxTasks = 100_000_000

// withDefaults fills the zero fields in.
func (s Scenario) withDefaults() Scenario {
	if s.Limit == 0 {
		s.Limit = defaultLimit
	}
	if s.Workload.Spec.New == nil {
		s.Workload = must(workloads.ParseVariant(call("exponential")))
	}
	if s.Target.Spec.New == nil {
		s.Target = must(targets.ParseVariant(call("none")))
	}
	if s.Load.Arrival.Spec.Name == "" {
		s.Load.Arrival = must(arrivals.ParseVariant(call("poisson")))
	}
	if s.Load.Relative == 0 && s.Load.PerSecond == 0 && s.Load.Arrival.TakesRate() && !s.Target.Spec.RateLimits {
		s.Load.Relative = defaultRelative
	}
	if s.Stop == (Stop{}) {
		s.Stop = defaultStop
	}
	// Variants made by a struct literal have no values yet. One that lacks a value without a default keeps none, and Validate says so.
	orDefaults(&s.Strategy.Values, s.Strategy.Spec.Keys)
	orDefaults(&s.Workload.Values, s.Workload.Spec.Keys)
	orDefaults(&s.Target.Values, s.Target.Spec.Keys)
	orDefaults(&s.Load.Arrival.Values, s.Load.Arrival.Spec.Keys)
	return s
}

func orDefaults(v *param.Values, keys []param.Key) {
	if filled, err := v.OrDefaults(keys); err == nil {
		*v = filled
	}
}

// Validate reports everything that makes the scenario impossible, joined. It does not run anything.
func (s Scenario) Validate() error {
	s = s.withDefaults()
	var complaints []error
	complain := func(format string, a ...any) { complaints = append(complaints, fmt.Errorf(format, a...)) }
	for _, v := range []struct {
		name   string
		values param.Values
		keys   []param.Key
	}{
		{s.Strategy.Spec.Name, s.Strategy.Values, s.Strategy.Spec.Keys},
		{s.Workload.Spec.Name, s.Workload.Values, s.Workload.Spec.Keys},
		{s.Target.Spec.Name, s.Target.Values, s.Target.Spec.Keys},
		{s.Load.Arrival.Spec.Name, s.Load.Arrival.Values, s.Load.Arrival.Spec.Keys},
	} {
		if _, err := v.values.OrDefaults(v.keys); err != nil {
			return fmt.Errorf("%s: %w", v.name, err) // nothing else can be asked without its parameters
		}
	}
	if s.Strategy.Spec.New == nil {
		complain("strategy: none is given")
	} else if err := s.Strategy.Spec.Validate(s.params()); err != nil {
		complaints = append(complaints, err)
	}
	switch kind := s.Workload.Spec.Kind; {
	case s.Clock == Virtual && kind == workloads.CPU:
		complain("workload %s: computing takes no virtual time; use the real clock", s.Workload.Spec.Name)
	case s.Clock == Virtual && kind == workloads.IO:
		complain("workload %s: files, sockets and databases keep no virtual time; use the real clock", s.Workload.Spec.Name)
	case s.Timeout == 0 && s.endless():
		complain("workload %s: some of its tasks end only when they are cancelled; give a timeout", s.Workload.Spec.Name)
	}
	if s.Deadline < 0 {
		complain("deadline %v: want a positive duration", s.Deadline)
	}
	if s.Timeout < 0 {
		complain("timeout %v: want a positive duration", s.Timeout)
	}
	switch {
	case s.Drain < 0:
		complain("drain %v: want a positive duration", s.Drain)
	case s.Drain > 0 && s.Load.Arrival.IsClosed():
		complain("drain: the clients of arrival %s wait for their tasks, so that nothing is left to drain", s.Load.Arrival.Spec.Name)
	}
	return errors.Join(append(append(complaints, s.Load.complaints(s)...), s.Stop.complaints(s)...)...)
}

var errLoadAndRate = errors.New("load and rate exclude each other")

func (l Load) complaints(s Scenario) (complaints []error) {
	complain := func(format string, a ...any) { complaints = append(complaints, fmt.Errorf(format, a...)) }
	arrival := l.Arrival.Spec.Name
	given := l.Relative != 0 || l.PerSecond != 0
	switch {
	case l.Relative != 0 && l.PerSecond != 0:
		complaints = append(complaints, errLoadAndRate)
	case given && l.Arrival.IsClosed():
		complain("arrival %s: its clients set the pace, so it takes neither load nor rate", arrival)
	case given && !l.Arrival.TakesRate():
		complain("arrival %s: it settles its own rate, so it takes neither load nor rate", arrival)
	case l.Relative != 0 && s.Target.Spec.RateLimits:
		complain("load: target %s limits a rate, so a load relative to the limit has no meaning; give a rate", s.Target.Spec.Name)
	case !given && l.Arrival.TakesRate():
		complain("arrival %s: give a rate (target %s limits a rate)", arrival, s.Target.Spec.Name)
	}
	if !(l.Relative >= 0) || l.Relative > 1000 {
		complain("load %v: want a positive number, 1 being the capacity", l.Relative)
	}
	if !(l.PerSecond >= 0) || l.PerSecond > 1e9 {
		complain("rate %v: want up to 1e9 tasks per second", l.PerSecond)
	}
	return complaints
}

func (t Stop) complaints(s Scenario) (complaints []error) {
	complain := func(format string, a ...any) { complaints = append(complaints, fmt.Errorf(format, a...)) }
	switch {
	case t.Tasks != 0 && t.Duration != 0:
		complain("n and duration exclude each other")
	case t.Tasks == 0 && t.Duration == 0:
		complain("n: want at least one task, or a duration")
	case t.Tasks < 0 || t.Tasks > maxTasks:
		complain("n %d: want 1 to %d tasks", t.Tasks, maxTasks)
	case t.Duration < 0:
		complain("duration %v: want a positive duration", t.Duration)
	case t.Tasks == 0 && s.Load.Arrival.Spec.AllAtOnce:
		complain("arrival %s: say how many tasks there are (n)", s.Load.Arrival.Spec.Name)
	}
	if !(t.Warmup >= 0) || t.Warmup >= 1 {
		complain("warmup %v: want a share of the tasks from 0 up to, not including, 1", t.Warmup)
	}
	return complaints
}

// endless says whether there are tasks that end only with their context. It builds the workload where that is cheap: waits.
func (s Scenario) endless() bool {
	if s.Workload.Spec.Kind != workloads.Wait {
		return false
	}
	w, err := s.Workload.Build(s.Seed)
	if err != nil {
		return false // its own complaint
	}
	e, ok := w.(workloads.Endless)
	return ok && e.Endless()
}

func (s Scenario) params() strategies.Params {
	return strategies.Params{Limit: s.Limit, Queue: s.Queue, Values: s.Strategy.Values}
}

// places is how many tasks can make progress at once: the k of the theory.
func (s Scenario) places() int {
	if s.Workload.Spec.Kind == workloads.CPU {
		return min(s.Limit, runtime.GOMAXPROCS(0))
	}
	return s.Limit
}

// rate returns the arrivals per second by the plan, 0 where the process settles them itself.
func (s Scenario) rate(mean time.Duration) float64 {
	if s.Load.Relative != 0 {
		return s.Load.Relative * float64(s.places()) / mean.Seconds()
	}
	return s.Load.PerSecond
}
