package arrivals

import (
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

// Bounds of every plan, far below 292 years, the range of a Duration.
const (
	MaxTasks        = 100_000_000        // 6.4 GB of records, at 64 bytes per task
	MaxSoak         = 1_000_000_000_000  // tasks without records
	MaxSpan         = 87_600 * time.Hour // ten years
	MinRate         = 1e-6               // tasks per second
	MaxRate         = 1e9                // tasks per second
	sampledArrivals = 4096
	spanText        = "87600h, which is ten years" // MaxSpan
)

// CheckPlan returns complaints about a plan of that many tasks or, if tasks is 0, of that duration.
// rate is in tasks per second; 0 means that it is unknown. most is the largest number of tasks of a
// run.
func (v Variant) CheckPlan(
	rate float64, tasks int, duration time.Duration, most float64,
) []error {
	var c text.Complaints
	complain := c.Add
	switch {
	case rate != 0 && !(rate >= MinRate && rate <= MaxRate):
		complain("rate %v: want %v to %v tasks per second", rate, MinRate, MaxRate)
	case tasks < 0 || float64(tasks) > most:
		complain("n %d: want 1 to %.0f tasks", tasks, most)
	case v.Tasks() > 0 && tasks > v.Tasks():
		complain("n %d: arrival %s has %d tasks", tasks, v.Spec.Name, v.Tasks())
	case tasks > 0 && v.endsAtZero():
		complain("n %d: the last stage ends at 0, so there may be fewer tasks: give a duration",
			tasks)
	case rate != 0 && !v.IsClosed() && v.open(rate) != nil:
		complain("arrival %s: %w", v, v.open(rate))
	case duration < 0:
		complain("duration %v: want a positive duration", duration)
	case duration > MaxSpan:
		complain("duration %v: want at most %s", duration, spanText)
	case rate*duration.Seconds() > most:
		complain("duration %v: at %v tasks per second that makes %.3g tasks, but a run has at most %.0f",
			duration, rate, rate*duration.Seconds(), most)
	case tasks > 0 && rate != 0 && float64(tasks)/rate > MaxSpan.Seconds():
		complain("n %d: at %v tasks per second these tasks last longer than %s", tasks, rate, spanText)
	case tasks > 0 && rate == 0 && v.span(tasks) > MaxSpan.Seconds():
		complain("arrival %s: %d tasks last longer than %s", v, tasks, spanText)
	}
	return c
}

func (v Variant) endsAtZero() bool {
	stages := v.Stages()
	return len(stages) > 0 && stages[len(stages)-1].last() == 0
}

func (v Variant) open(rate float64) error {
	_, err := v.Spec.Open(rate, 0, v.Values)
	return err
}

// span is in seconds. It is an estimate for a process with its own rate, and a lower bound for a
// closed one.
func (v Variant) span(tasks int) float64 {
	switch {
	case v.IsClosed():
		c, err := v.Spec.Closed(v.Values)
		if err != nil {
			return 0 // reported elsewhere
		}
		return float64(tasks) / float64(c.Count) * c.Think.Mean().Seconds()
	case v.TakesRate() || v.Spec.AllAtOnce:
		return 0
	}
	next, err := v.Spec.Open(0, 0, v.Values)
	if err != nil {
		return 0
	}
	var last time.Duration
	for range min(tasks, sampledArrivals) {
		due := next()
		if due < last { // beyond the range of a Duration
			return math.Inf(1)
		}
		last = due
	}
	return last.Seconds() * max(1, float64(tasks)/sampledArrivals)
}
