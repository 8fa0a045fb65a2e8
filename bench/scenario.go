package bench

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// A Scenario is one point to be measured. The zero value of every field but Strategy is a useful
// default.
type Scenario struct {
	Strategy strategies.Variant // required
	Limit    int                // most tasks in flight; 0 is 4
	// slots of the strategy's queue, if it has one. 0: never full or, if the strategy sheds, 8 ×
	// limit
	Queue    int
	Workload workloads.Variant // the work of each task; zero is exponential
	Target   targets.Variant   // the service that tasks call; zero is none
	Load     Load              // when tasks are due; zero is poisson at load 0.7
	// zero is 20000 tasks, or all of a trace, with a tenth as warm-up
	Stop Stop
	// goodput counts the tasks with a response within it. 0: every completed task
	Deadline time.Duration
	// timeout of each attempt. A task whose attempt took longer has failed, even if it succeeded.
	// 0: none
	Timeout time.Duration
	// time after due at which the caller gives up, which ends the contexts of Submit and of the
	// task. nil: never
	Patience dist.Dist
	// tasks not done this long after the last submit are abandoned. 0: none
	Drain time.Duration
	Seed  uint64 // of arrivals and task times: equal seeds give equal work
	Clock Clock  // zero is Real
	// records are folded into sums and histograms during the run, which may then last for any time.
	// Quantiles are within 0.1 %. Runs of more than record.MaxTasks tasks always do so
	Soak bool
	// partial result of an interrupted soak of this scenario, which the run resumes. Its result
	// covers both parts and is SUSPECT because of the gap between them. nil: a new soak
	Before *Result
	// profiles such as "cpu+mutex": cpu, goroutine, mutex, block, heap. Real clock only
	Profile string
	// Flight is the length of runtime trace kept by the flight recorder, which writes it when a
	// response exceeds FlightBound, by default Deadline or else three times the p99 so far. 0: no
	// recorder. Real clock only
	Flight, FlightBound time.Duration
	// number of runs in the plan, for which the statistical tests are corrected. 0 is 1
	Among int
}

// Load defines when tasks are due. Relative and PerSecond exclude each other. An arrival process
// that determines its own rate accepts neither.
type Load struct {
	Arrival arrivals.Variant // zero is poisson
	// arrival rate as a share of the capacity limit/E[S] (for CPU work min(limit,
	// GOMAXPROCS)/E[S]). With stages it is the rate of level 1, by default 1
	Relative  float64
	PerSecond float64 // arrival rate in tasks per second
}

// Stop ends a run: after Tasks tasks or, if that is 0, after Duration. In an open loop a task due
// exactly at the end still runs, since it represents the gap before it.
type Stop struct {
	Tasks    int
	Duration time.Duration
	// share of the tasks, the first by due time, that are run but not measured, in [0, 1)
	Warmup float64
}

// Clock is the clock of a run.
type Clock int

// The clocks. Results of different clocks are never compared.
const (
	Real    Clock = iota // overheads, contention, GC, sockets, CPU
	Virtual              // scheduling alone: exact, and reproducible to the nanosecond for a seed
)

func (c Clock) String() string {
	if c == Virtual {
		return "virtual"
	}
	return "real"
}

// Set parses the output of String, as a flag.Value does.
func (c *Clock) Set(s string) error {
	for _, known := range []Clock{Real, Virtual} {
		if known.String() == s {
			*c = known
			return nil
		}
	}
	return fmt.Errorf("unknown clock %q (known: real, virtual)", s)
}

// The scenario's name omits default values.
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
		s.Queue = 0 // never has a queue
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
			s.Load.Relative = 1 // stages contain their shares of the capacity
		}
	}
	orDefaults(&s.Strategy.Values, s.Strategy.Spec.Keys)
	if given := s.Strategy.Spec.Given; given != nil {
		if _, err := s.Strategy.Values.OrDefaults(s.Strategy.Spec.Keys); err == nil {
			s.Strategy.Spec = given(s.Strategy.Spec, s.Strategy.Values)
		}
	}
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

// Validate returns everything that makes the scenario impossible, joined.
func (s Scenario) Validate() error {
	s = s.withDefaults()
	var c text.Complaints
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
			return errors.Join(fmt.Errorf("%s: %w", v.name, err))
		}
	}
	spec := s.Strategy.Spec
	if c.If(spec.New == nil, "no strategy is given"); spec.New != nil {
		c.Note(spec.Validate(s.params()))
	}
	c.If(spec.RealClock && s.Clock == Virtual,
		"strategy %s: disks and servers have no virtual time, so use the real clock", spec.Name)
	if spec.Ready != nil {
		if err := spec.Ready(); err != nil {
			c.Add("strategy %s: %w", spec.Name, err)
		}
	}
	s.checkWeights(&c)
	waits := s.waits()
	switch kind := s.Workload.Spec.Kind; {
	case s.Clock == Virtual && kind == workloads.CPU:
		c.Add("workload %s: computing takes no virtual time, so use the real clock",
			s.Workload.Spec.Name)
	case s.Clock == Virtual && kind == workloads.IO:
		c.Add("workload %s: files, sockets and databases have no virtual time, so use the real "+
			"clock", s.Workload.Spec.Name)
	case sameColumn(s.Load.Arrival, s.Workload):
		c.Add("workload trace: column %s of %s contains the times, which arrival trace uses: "+
			"give the column of the durations", s.Workload.Values.Text("column"), s.Workload.Values.Text("file"))
	case s.Timeout == 0 && s.Patience == nil && endless(waits):
		c.Add("workload %s: some of its tasks end only when they are cancelled, so give a timeout",
			s.Workload.Spec.Name)
	}
	for _, d := range []struct {
		name string
		time time.Duration
	}{{"deadline", s.Deadline}, {"timeout", s.Timeout}, {"drain", s.Drain}} {
		c.If(d.time < 0 || d.time > arrivals.MaxSpan,
			"%s %v: want a positive duration, at most 87600h", d.name, d.time)
	}
	c.If(s.Patience != nil && s.Patience.Mean() <= 0, "patience %v: want a mean above 0", s.Patience)
	arrival := s.Load.Arrival
	c.If(s.Drain > 0 && arrival.IsClosed(), "drain: the clients of arrival %s wait for their "+
		"tasks, so nothing is left to drain", arrival.Spec.Name)
	c.Note(machine.CheckProfiles(s.Profile))
	c.If(s.Flight != 0 && (s.Clock == Virtual || s.Soak),
		"flight: want a run under the real clock that is not a soak")
	c.If(s.Flight < 0 || s.Flight > machine.MaxAge, "flight %v: want up to %v", s.Flight,
		machine.MaxAge)
	c.If(s.Profile != "" && s.Clock == Virtual, "profile: the virtual clock has no CPU time to "+
		"profile, so use the real clock")
	c.If(s.Soak && (arrival.IsClosed() || arrival.Spec.AllAtOnce), "soak: arrival %s: want an "+
		"open arrival process without end, not clients or a batch", arrival.Spec.Name)
	c.If(s.Soak && arrival.Stages() != nil,
		"soak: results by stage need records of single tasks, and a soak keeps none")
	s.Load.check(s, &c)
	s.Stop.check(s, &c)
	return errors.Join(append(c, s.outOfBounds(waits)...)...)
}

func sameColumn(a arrivals.Variant, w workloads.Variant) bool {
	return a.Spec.Name == "trace" && w.Spec.Name == a.Spec.Name &&
		a.Values.Text("file") == w.Values.Text("file") &&
		a.Values.Text("column") == w.Values.Text("column")
}

var errLoadAndRate = errors.New("load and rate exclude each other")

func (l Load) check(s Scenario, c *text.Complaints) {
	arrival := l.Arrival.Spec.Name
	given := l.Relative != 0 || l.PerSecond != 0
	switch {
	case l.Relative != 0 && l.PerSecond != 0:
		c.Note(errLoadAndRate)
	case given && l.Arrival.IsClosed():
		c.Add("arrival %s: its clients set the pace, so it accepts neither load nor rate", arrival)
	case given && !l.Arrival.TakesRate():
		c.Add("arrival %s: it settles its own rate, so it accepts neither load nor rate", arrival)
	case l.Relative != 0 && s.Target.Spec.RateLimits:
		c.Add("load: target %s limits a rate, so a load relative to the limit has no meaning; "+
			"give a rate", s.Target.Spec.Name)
	case !given && l.Arrival.TakesRate():
		c.Add("arrival %s: give a rate (target %s limits a rate)", arrival, s.Target.Spec.Name)
	}
}

func (t Stop) check(s Scenario, c *text.Complaints) {
	switch {
	case t.Tasks != 0 && t.Duration != 0:
		c.Add("n and duration exclude each other")
	case t.Tasks == 0 && t.Duration == 0:
		c.Add("n: want at least one task, or a duration")
	case t.Tasks == 0 && s.Load.Arrival.Spec.AllAtOnce:
		c.Add("arrival %s: give the number of tasks (n)", s.Load.Arrival.Spec.Name)
	}
	c.If(!(t.Warmup >= 0) || t.Warmup >= 1,
		"warmup %v: want a share of the tasks of at least 0 and below 1", t.Warmup)
}

// waits builds the workload if that is cheap (kind Wait). Otherwise, and on errors, it returns nil.
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

// weights returns nil if all weights are 1, or the law is invalid.
func (s Scenario) weights() *workloads.WeightLaw {
	l, err := s.Workload.Spec.Weights(s.Seed, s.Workload.Values)
	if err != nil {
		return nil
	}
	return l
}

func (s Scenario) checkWeights(c *text.Complaints) {
	l, err := s.Workload.Spec.Weights(s.Seed, s.Workload.Values)
	if err != nil {
		c.Add("workload %s: %w", s.Workload.Spec.Name, err)
		return
	}
	c.If(l != nil && s.Strategy.Spec.Weighs && l.Max() > int64(s.Limit),
		"workload %s: a weight of %d is above the limit of %d, and strategy %s would never start "+
			"the task", s.Workload, largestWeight(l), s.Limit, s.Strategy.Spec.Name)
}

func largestWeight(l *workloads.WeightLaw) int64 {
	if l == nil {
		return 1
	}
	return l.Max()
}

// endless reports whether some tasks end only with their context.
func endless(w workloads.Workload) bool {
	e, ok := w.(workloads.Endless)
	return ok && e.Endless()
}

func (s Scenario) described() observe.Plan {
	spec, weights := s.Strategy.Spec, s.weights()
	if weights != nil && spec.Weighs {
		spec.WorkConserving = false // slots idle while a heavy task waits for its units
	}
	return observe.Plan{Strategy: spec, Weights: weights, Params: s.params(),
		Kind:   s.Workload.Spec.Kind,
		Target: s.Target.Spec.Name, Served: s.Target, Arrival: s.Load.Arrival,
		Relative:  s.Load.Relative,
		PerSecond: s.Load.PerSecond, Tasks: s.Stop.Tasks, Duration: s.Stop.Duration,
		Warmup: s.Stop.Warmup, Deadline: s.Deadline, Timeout: s.Timeout, Patience: s.Patience,
		Drain: s.Drain,
		Seed:  s.Seed, Virtual: s.Clock == Virtual, Among: s.Among}
}

// The driver, which has a better bound on the number of tasks than Stop, may shorten the queue.
func (s Scenario) params() strategies.Params {
	return strategies.Params{Limit: s.Limit, Queue: s.Strategy.Spec.QueueSlots(s.Queue, s.Limit,
		s.Stop.Tasks), Values: s.settled(), Seed: s.Seed}
}

// settled fills in the parameters that depend on the rate of the target.
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

// n is 0 if the stages define the number of tasks themselves.
func tasksOf(stages []arrivals.Stage, rate float64) (n float64) {
	if rate == 0 {
		rate = 1
	}
	for _, s := range stages {
		n += s.Mean() * rate * s.For.Seconds()
	}
	return n
}
