package bench

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/statistics/samples"
	"github.com/poolbench/poolbench/internal/text/complaints"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// leastRelative is the least load: below it the rate is a slip of the keyboard.
const leastRelative = 1e-6

// deviations are the standard deviations by which the work of a run may exceed its mean, so that it
// stays in bounds.
const deviations = 10

// outOfBounds is what Validate says of the size of the plan. w is nil where the workload is too
// dear to be built for a look.
func (s Scenario) outOfBounds(w workloads.Workload) (c complaints.List) {
	rate := s.Load.PerSecond
	if l := s.Load.Relative; l != 0 && !(l >= leastRelative && l <= 1000) {
		c.Add("load %v: want %v to 1000, 1 being the capacity", l, leastRelative)
		return c
	}
	if w != nil && s.Load.Relative != 0 && w.Mean() > 0 {
		// more than one in a nanosecond are as good as all at once
		rate = min(s.described().Rate(w.Mean()), arrivals.MostRate)
		if !(rate >= arrivals.LeastRate) {
			c.Add("load %v: at limit %d and %v a task this is a rate of %.3g per second; want %v "+
				"at least", s.Load.Relative, s.Limit, w.Mean(), rate, arrivals.LeastRate)
			return c
		}
	}
	most := float64(arrivals.MaxTasks)
	if a := s.Load.Arrival; !a.IsClosed() && !a.Spec.AllAtOnce {
		most = min(arrivals.MaxSoak, math.MaxInt)
	}
	c = s.Load.Arrival.CheckPlan(rate, s.Stop.Tasks, s.Stop.Duration, most)
	if len(c) > 0 || w == nil {
		return c
	}
	tasks := cmp.Or(float64(s.Stop.Tasks), rate*s.Stop.Duration.Seconds())
	if stages := s.Load.Arrival.Stages(); stages != nil {
		if n := tasksOf(stages, rate); n > SoakFrom {
			c.Add("arrival stages: these are %.3g tasks; the records of at most %d are kept", n,
				SoakFrom)
		}
	}
	if endless(w) {
		if work := tasks * s.Timeout.Seconds(); work > arrivals.MaxSpan.Seconds() {
			c.Add("timeout %v: %.3g tasks that end only by it take longer than the ten years that "+
				"a run may have", s.Timeout, tasks)
		}
	}
	if starts := s.Strategy.Spec.Starts; starts != nil {
		if per := starts(s.params()).PerSecond; per > 0 && tasks/per > arrivals.MaxSpan.Seconds() {
			c.Add("strategy %s: at %v starts per second %.3g tasks take longer than the ten years "+
				"that a run may have", s.Strategy, per, tasks)
		}
	}
	mean, c2 := w.Mean().Seconds(), w.C2()
	if work := mean * (tasks + deviations*math.Sqrt(tasks*c2)); work > arrivals.MaxSpan.Seconds() {
		c.Add("workload %s: %.3g tasks of %v are longer together than the ten years that a run may "+
			"have", s.Workload, tasks, w.Mean())
	}
	return c
}

// NoQueue, as a Queue, is a queue without a slot: what finds every slot of the limit taken waits in
// Submit, or is shed. It is a loss system, in the words of theory, where the strategy sheds. In
// names and flags it is queue=0.
const NoQueue = -1

// maxDefaultQueue bounds a queue that nobody has asked for. A strategy on a channel pays 8 bytes
// for each slot, taken or not: 8 MB. A task that waits is 200 to 300 bytes in any strategy: 300 MB
// for a queue that is full. Where that many wait the run has left every steady state.
const maxDefaultQueue = 1 << 20

// shedQueue is how many tasks for each slot of the limit may wait by default where the strategy
// sheds what comes then: eight service times, on average.
const shedQueue = 8

// QueueSlots is how many slots the queue of a strategy has that was given as queue, for a run of so
// many tasks; 0 tasks: nobody knows. A queue that is not given (0) is as long as a user means who
// names none. Where a full strategy holds its producer, it is never full in the run, up to a
// million slots: a full one would hold up what the strategy is there to keep apart or to put in
// order, and nothing else could be measured. Where it sheds, the queue is eight times the limit.
func QueueSlots(spec strategies.Spec, queue, limit, tasks int) int {
	switch {
	case queue == NoQueue || queue == 0 && !spec.UsesQueue:
		return 0
	case queue != 0:
		return queue
	case spec.Sheds:
		return min(shedQueue*max(limit, 0), strategies.MaxSlots)
	case tasks > 0:
		return min(tasks, maxDefaultQueue)
	}
	return maxDefaultQueue
}

// LeastTasks is how many measured tasks a run needs for a metric to be told: those that its
// quantile takes; 0 for a metric that is none.
func LeastTasks(unit string) int {
	if strings.HasPrefix(unit, "theory-") || strings.Contains(unit, "hiccup") {
		return 0 // of no task
	}
	for _, q := range result.Quantiles {
		if strings.Contains("-"+unit, "-"+q.Name+"-") {
			n := int(math.Log(0.025) / math.Log(q.P))
			for !samples.Resolvable(q.P, n) {
				n++
			}
			return n
		}
	}
	return 0
}

// Resolves reports, before anything is run, that no run of the scenario can tell the metric, since
// its tasks are too few. Where a duration decides how many there are, twice the expected number has
// to be; what clients of a closed loop get done nobody knows.
func (s Scenario) Resolves(unit string) error {
	s = s.withDefaults()
	least := LeastTasks(unit)
	n, how := s.Stop.Tasks, fmt.Sprintf("n %d", s.Stop.Tasks)
	if n == 0 {
		if s.Load.Arrival.IsClosed() {
			return nil
		}
		tasks, _ := s.expected()
		n, how = int(min(2*tasks+1, 1e9)),
			fmt.Sprintf("duration %v, with some %.3g tasks,", s.Stop.Duration, tasks)
	}
	left := func(n int) int { return n - int(s.Stop.Warmup*float64(n)) }
	if left(n) >= least {
		return nil
	}
	enough := least
	for left(enough) < least {
		enough++
	}
	return fmt.Errorf("%s takes %d tasks after the warm-up, and %s has too few: give n %d", unit,
		least, how, enough)
}

// SoakFrom is how many tasks a run has at most that keeps the records of all: 640 MB of them. Where
// there are more, and where Scenario.Soak says so, the run is a soak.
const SoakFrom = 10_000_000
