package verdicts

import (
	"math"

	"github.com/poolbench/poolbench/bench/internal/intervals"
	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// CheckLength reports how much the run can tell: the intervals that it is long enough for, and how
// many tasks its p99 takes. Neighbouring waits are so much alike that a run of 100,000 tasks at a
// load of 0.9 says as much about its p99 as 350 independent ones.
func checkLength(o *observed.Run, r *result.Result, first int, m observed.Measured) {
	if a := o.Plan.Arrival; a.Spec.AllAtOnce || a.Spec.Unsteady || a.Stages() != nil {
		return // there is no stationary state to sample
	}
	k := intervals.MemoryOf(o, r, first, m)
	intervals.Report(o, r, first, k)
	judgeLength(k, r, m.N)
}

// p99Width is the constant of the p99: over n tasks its relative variance is p99Width·relax/n,
// measured over loads of 0.7 to 0.95, C² of 0 to 16 and 1 to 16 slots.
const p99Width = 7.8

// judgeLength says how many tasks the p99 response takes to be within 5 %, and doubts a run whose
// numbers, by its plan, may be off by as much as they are.
func judgeLength(k intervals.Memory, r *result.Result, n int) {
	if math.IsInf(k.Relax, 1) { // no length is enough
		if math.IsInf(k.Planned, 1) && !r.Drifts() {
			r.Doubt(result.Suspect, rundir.CheckOverload, "by the plan more is offered than can be "+
				"done: the queue grows, so that the figure depends on the length of the run")
		}
		return
	}
	const z, epsilon = 1.96, 0.05
	needed := p99Width * k.Response(1) * z * z / (epsilon * epsilon)
	r.Add("needed-tasks", needed)
	what, width := "mean wait", z*math.Sqrt(2*k.Planned/float64(n))
	// where waits are brief, the response may be told and the wait not
	p99 := z * math.Sqrt(p99Width*min(k.Planned, k.Response(1))/float64(n))
	if _, has := r.Metric("p99-response-sec"); has && p99 > 1 {
		what, width = "p99 response", p99
	}
	if width > 1 {
		r.Doubt(result.Suspect, observed.CheckLength,
			"the %s of %d tasks at this load is uncertain by "+
				"±%s; ±5 %% of the p99 takes %s tasks", what, n, quantity.Share(width),
			quantity.Many(needed))
	}
}
