package validity

import (
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// Consecutive waits are highly correlated: for the p99, 100,000 tasks at a load of 0.9 have the
// information of 350 independent tasks.
func checkLength(o *observe.Run, r *result.Result, first int, m observe.Totals) {
	if a := o.Plan.Arrival; a.Spec.AllAtOnce || a.Spec.Unsteady || a.Stages() != nil {
		return
	}
	k := MemoryOf(o, r, first, m)
	own := ReportIntervals(o, r, first, k)
	overload := math.IsInf(k.Planned, 1)
	switch {
	case overload && !r.Drifts():
		r.Doubt(result.Suspect, rundir.CheckOverload, "the planned load exceeds the capacity: "+
			"the queue grows, so the results depend on the length of the run")
	case !math.IsInf(k.Relax, 1):
		judgeLength(k, own, r, float64(m.N))
	}
	if !overload && !o.Recorded {
		k.MarkUncertain(o, r, first, own)
	}
}

// judgeLength doubts a run whose planned error is as large as the value.
func judgeLength(k Memory, own Scatter, r *result.Result, n float64) {
	needed := neededTasks(k, own, r, n)
	r.Add(metric.NeededTasks, needed)
	what, width := "mean wait", z95*math.Sqrt(k.MeanWaitVariance()/n)
	p99 := z95 * math.Sqrt(k.P99Variance(k.Planned, 1)/n)
	if k.Known || k.Forecast != nil { // short waits may leave the response precise
		p99 = k.P99Error(r, own, n, k.Planned)
	}
	if _, has := r.Metric(metric.P99Response); has && p99 > 1 {
		what, width = "p99 response", p99
	}
	if width > 1 {
		takes := ""
		if needed > 0 {
			takes = fmt.Sprintf("; ±5 %% of the p99 needs %s tasks", text.Rounded(needed))
		}
		r.Doubt(result.Suspect, rundir.CheckLength,
			"the 95 %% error of the %s of %.0f tasks at this load is ±%s%s", what, n,
			text.Share(width), takes)
	}
}

// neededTasks uses the forecast, the formula for Poisson arrivals, or the run's own interval. It
// returns 0 without any of them.
func neededTasks(k Memory, own Scatter, r *result.Result, n float64) float64 {
	const epsilon = 0.05
	low, has := r.Metric(metric.P99ResponseLow)
	high, _ := r.Metric(metric.P99ResponseHigh)
	p99, _ := r.Metric(metric.P99Response)
	half := max(high-p99, p99-low) / p99
	if needed, ok := k.NeededTasks(r, own, epsilon); ok {
		if needed > 0 && has && half > 2*epsilon {
			// In one of 40 runs the interval is wide although the number of tasks suffices.
			needed = max(needed, 2*n)
		}
		return needed
	}
	switch takes := k.TasksForQuantile(0.99); {
	case own.Suffices():
		return own.Variance * z95 * z95 / (epsilon * epsilon)
	case has:
		return n * half * half / (epsilon * epsilon)
	case n >= takes: // many tasks share the value of the p99
		return takes
	}
	return 0
}
