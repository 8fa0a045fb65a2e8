package validity

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
)

// JudgeAny performs the checks that need no task records.
func JudgeAny(o *observe.Run, r *result.Result) {
	for _, law := range r.Broken {
		r.Doubt(result.Invalid, rundir.CheckLaw, "%s", law)
	}
	for _, d := range o.Doubts {
		r.Doubt(d.Verdict, d.Check, "%s", d.Text)
	}
	if !o.Plan.Virtual && o.Seen != nil {
		checkMachine(o, r)
	}
}

func Judge(
	o *observe.Run, r *result.Result, first int, m observe.Totals, f observe.Flow,
	h observe.Blocked,
) {
	JudgeAny(o, r)
	if !o.Plan.Virtual {
		checkLag(o, r, first, m)
		if a := o.Plan.Arrival; !a.IsClosed() && !a.Spec.AllAtOnce &&
			!o.Trace.Merged() {
			CheckSaturation(o, r, m)
		}
		CheckStandstill(o, r)
	}
	CheckSettling(o, r, first)
	if !o.Share {
		CheckPlan(o, r)
		CheckPASTA(o, r, f)
		CheckPools(o, r)
		checkPipeline(o, r)
		o.CheckBlocked(r, h)
		CheckExact(o, r, first)
		CheckDrift(o, r, first)
		checkLength(o, r, first, m)
	}
	r.Add(metric.Verdict, float64(r.Verdict))
}
