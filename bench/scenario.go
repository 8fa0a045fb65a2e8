package bench

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine/flight"
	"github.com/poolbench/poolbench/internal/machine/profiles"
	"github.com/poolbench/poolbench/internal/text/complaints"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Scenario is one point to be measured: a strategy, what its tasks cost and call, when they are
// due, and how many there are. Every field has a useful zero: see the field.
type Scenario struct {
	Strategy strategies.Variant // what bounds the tasks; required
	Limit    int                // most tasks in flight; 0 is 4
	// slots of the strategy's queue, where it has one; 0: never full or, where it sheds, 8 × limit
	// (QueueSlots)
	Queue    int
	Workload workloads.Variant // what a task costs; zero is exponential
	Target   targets.Variant   // what a task calls; zero is none
	Load     Load              // when tasks are due; zero is poisson at load 0.7
	// how many tasks; zero is 20000, or all of a trace, of which the first tenth is warm-up
	Stop Stop
	// goodput counts the tasks whose response met it; 0 counts every completed task
	Deadline time.Duration
	// a task's context ends so long after an attempt began, and the task has failed; 0: never
	Timeout time.Duration
	// what is not done so long after the last task was submitted is abandoned; 0: nothing is
	Drain time.Duration
	Seed  uint64 // of arrivals and task times: the same seed is the same work
	Clock Clock  // zero is Real
	// records are folded into sums and histograms while the run goes on, so that it may go on for
	// any time: quantiles are within 0.1 %. So they are anyhow beyond SoakFrom tasks; see Result
	Soak bool
	// what a soak of this scenario had when it was cut off: it goes on with the plan from there,
	// and the result is that of both parts, SUSPECT for the gap between them. nil: it begins anew
	Before *Result
	// what is profiled beside, as in "cpu+mutex": cpu, goroutine, mutex, block, heap (Profile); "":
	// nothing is. Real clock alone
	Profile string
	// the last seconds of the runtime's trace that are kept, and written when a task is slower than
	// FlightBound or, without, than Deadline or, without either, than three times the p99 before
	// it; 0: none. Real clock alone
	Flight, FlightBound time.Duration
	// how many runs the plan has of which this is one; 0 is 1. Among many exact values some are
	// missed by chance: what is a doubt allows for all of them
	Among int
}

// Load says when tasks are due. Relative and PerSecond exclude each other; an arrival process that
// settles its own intensity takes neither.
type Load struct {
	Arrival arrivals.Variant // zero is poisson
	// arrival rate as a share of the capacity limit/E[S] (for CPU work min(limit, GOMAXPROCS)/E[S])
	// or, in stages, the rate of level 1, and 1 by default
	Relative  float64
	PerSecond float64 // arrival rate in tasks per second
}

// Stop says how long a run goes on: for Tasks tasks or, when that is 0, until Duration is over: a
// task stands for the gap before it, so that one that is due with the end is the last. (In a closed
// loop it stands for the time after it, and is too late then.)
type Stop struct {
	Tasks    int
	Duration time.Duration
	// share of the tasks, the first ones by due time, that are driven but not counted; in [0, 1)
	Warmup float64
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

func (s Scenario) withDefaults() Scenario {
	s.Limit = cmp.Or(s.Limit, defaultLimit)
	if stages := s.Load.Arrival.Stages(); s.Stop == (Stop{}) && stages != nil {
		s.Stop = Stop{Duration: lengthOf(stages), Warmup: defaultStop.Warmup}
	}
	if n := s.Load.Arrival.Tasks(); n > 0 && s.Stop == (Stop{}) {
		s.Stop = Stop{Tasks: n, Warmup: defaultStop.Warmup}
	}
	s.Stop = cmp.Or(s.Stop, defaultStop)
	if s.Workload.Spec.New == nil {
		s.Workload = workloads.MustParse("exponential")
	}
	if s.Queue == NoQueue && !s.Strategy.Spec.UsesQueue {
		s.Queue = 0 // that is so by nature
	}
	if s.Target.Spec.New == nil {
		s.Target = targets.MustParse(noTarget)
	}
	if s.Load.Arrival.Spec.Name == "" {
		s.Load.Arrival = arrivals.MustParse("poisson")
	}
	if s.Load.Relative == 0 && s.Load.PerSecond == 0 && s.Load.Arrival.TakesRate() &&
		!s.Target.Spec.RateLimits {
		s.Load.Relative = defaultRelative
		if s.Load.Arrival.Stages() != nil {
			s.Load.Relative = 1 // a stage says its own share of the capacity
		}
	}
	// Variants made by a struct literal have no values yet. One that lacks a value without a
	// default keeps none, and Validate says so.
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
	var c complaints.List
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
			// nothing else can be asked without its parameters
			return errors.Join(fmt.Errorf("%s: %w", v.name, err))
		}
	}
	spec := s.Strategy.Spec
	if c.If(spec.New == nil, "strategy: none is given"); spec.New != nil {
		c.Note(spec.Validate(s.params()))
	}
	c.If(spec.RealClock && s.Clock == Virtual,
		"strategy %s: disks and servers keep no virtual time; use the real clock", spec.Name)
	if spec.Ready != nil {
		if err := spec.Ready(); err != nil {
			c.Add("strategy %s: %w", spec.Name, err)
		}
	}
	waits := s.waits()
	switch kind := s.Workload.Spec.Kind; {
	case s.Clock == Virtual && kind == workloads.CPU:
		c.Add("workload %s: computing takes no virtual time; use the real clock",
			s.Workload.Spec.Name)
	case s.Clock == Virtual && kind == workloads.IO:
		c.Add("workload %s: files, sockets and databases keep no virtual time; use the real "+
			"clock", s.Workload.Spec.Name)
	case sameColumn(s.Load.Arrival, s.Workload):
		c.Add("workload trace: column %s of %s has the times, which arrival trace takes: name that "+
			"of the durations", s.Workload.Values.Text("column"), s.Workload.Values.Text("file"))
	case s.Timeout == 0 && endless(waits):
		c.Add("workload %s: some of its tasks end only when they are cancelled; give a timeout",
			s.Workload.Spec.Name)
	}
	for _, d := range []struct {
		name string
		time time.Duration
	}{{"deadline", s.Deadline}, {"timeout", s.Timeout}, {"drain", s.Drain}} {
		c.If(d.time < 0 || d.time > arrivals.MaxSpan,
			"%s %v: want a positive duration, at most 87600h", d.name, d.time)
	}
	arrival := s.Load.Arrival
	c.If(s.Drain > 0 && arrival.IsClosed(), "drain: the clients of arrival %s wait for their tasks, "+
		"so that nothing is left to drain", arrival.Spec.Name)
	c.Note(profiles.Check(s.Profile))
	c.If(s.Flight != 0 && (s.Clock == Virtual || s.Soak),
		"flight: only a run under the real clock that is no soak has a trace to be kept")
	c.If(s.Flight < 0 || s.Flight > flight.MostAge, "flight %v: want up to %v", s.Flight,
		flight.MostAge)
	c.If(s.Profile != "" && s.Clock == Virtual, "profile: under the virtual clock nothing takes "+
		"time that a profile could show; use the real clock")
	c.If(s.Soak && (arrival.IsClosed() || arrival.Spec.AllAtOnce), "soak: arrival %s is no open "+
		"process that goes on: each client, or the batch, is kept whole", arrival.Spec.Name)
	c.If(s.Soak && arrival.Stages() != nil,
		"soak: the stages of a run are told by its records, and a soak keeps none")
	s.Load.check(s, &c)
	s.Stop.check(s, &c)
	return errors.Join(append(c, s.outOfBounds(waits)...)...)
}

// sameColumn reports whether what a file has as times is to be the durations of its tasks, too.
func sameColumn(a arrivals.Variant, w workloads.Variant) bool {
	return a.Spec.Name == "trace" && w.Spec.Name == a.Spec.Name &&
		a.Values.Text("file") == w.Values.Text("file") &&
		a.Values.Text("column") == w.Values.Text("column")
}

var errLoadAndRate = errors.New("load and rate exclude each other")

func (l Load) check(s Scenario, c *complaints.List) {
	arrival := l.Arrival.Spec.Name
	given := l.Relative != 0 || l.PerSecond != 0
	switch {
	case l.Relative != 0 && l.PerSecond != 0:
		c.Note(errLoadAndRate)
	case given && l.Arrival.IsClosed():
		c.Add("arrival %s: its clients set the pace, so it takes neither load nor rate", arrival)
	case given && !l.Arrival.TakesRate():
		c.Add("arrival %s: it settles its own rate, so it takes neither load nor rate", arrival)
	case l.Relative != 0 && s.Target.Spec.RateLimits:
		c.Add("load: target %s limits a rate, so a load relative to the limit has no meaning; "+
			"give a rate", s.Target.Spec.Name)
	case !given && l.Arrival.TakesRate():
		c.Add("arrival %s: give a rate (target %s limits a rate)", arrival, s.Target.Spec.Name)
	}
}

func (t Stop) check(s Scenario, c *complaints.List) {
	switch {
	case t.Tasks != 0 && t.Duration != 0:
		c.Add("n and duration exclude each other")
	case t.Tasks == 0 && t.Duration == 0:
		c.Add("n: want at least one task, or a duration")
	case t.Tasks == 0 && s.Load.Arrival.Spec.AllAtOnce:
		c.Add("arrival %s: say how many tasks there are (n)", s.Load.Arrival.Spec.Name)
	}
	c.If(!(t.Warmup >= 0) || t.Warmup >= 1,
		"warmup %v: want a share of the tasks from 0 up to, not including, 1", t.Warmup)
}

// waits builds the workload where that is cheap: waits. It is nil elsewhere, and where building is
// a complaint of its own.
func (s Scenario) waits() workloads.Workload {
	if s.Workload.Spec.Kind != workloads.Wait {
		return nil
	}
	w, err := s.Workload.Spec.Build(s.Seed, s.Workload.Values)
	if err != nil {
		return nil
	}
	return w
}

// endless says whether there are tasks that end only with their context.
func endless(w workloads.Workload) bool {
	e, ok := w.(workloads.Endless)
	return ok && e.Endless()
}

// described is the scenario as what is computed of its run asks for it.
func (s Scenario) described() observed.Plan {
	return observed.Plan{Strategy: s.Strategy.Spec, Params: s.params(), Kind: s.Workload.Spec.Kind,
		Target: s.Target.Spec.Name, Arrival: s.Load.Arrival, Relative: s.Load.Relative,
		PerSecond: s.Load.PerSecond, Tasks: s.Stop.Tasks, Duration: s.Stop.Duration,
		Warmup: s.Stop.Warmup, Deadline: s.Deadline, Timeout: s.Timeout, Drain: s.Drain,
		Seed: s.Seed, Virtual: s.Clock == Virtual, Among: s.Among}
}

// params are the strategy's. The driver knows better than Stop how many tasks there can be, and may
// give it a shorter queue.
func (s Scenario) params() strategies.Params {
	return strategies.Params{Limit: s.Limit, Queue: QueueSlots(s.Strategy.Spec, s.Queue, s.Limit,
		s.Stop.Tasks), Values: s.settled()}
}

// settled are the parameters of the strategy, with the rate of the target where they follow it.
func (s Scenario) settled() param.Values {
	if rate := s.Target.Spec.Rate; rate != nil && s.Strategy.Values.Open() != "" {
		return s.Strategy.Values.Settle("target", rate(s.Target.Values))
	}
	return s.Strategy.Values
}

func lengthOf(stages []arrivals.Stage) (total time.Duration) {
	for _, s := range stages {
		total += s.For
	}
	return total
}

// tasksOf is how many tasks the stages have in the mean, at that rate of the scenario; 0 where they
// settle it themselves.
func tasksOf(stages []arrivals.Stage, rate float64) (n float64) {
	if rate == 0 {
		rate = 1
	}
	for _, s := range stages {
		n += s.Level * rate * s.For.Seconds()
	}
	return n
}
