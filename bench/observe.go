package bench

import (
	"github.com/poolbench/poolbench/bench/internal/exact"
	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/internal/soaks"
	"github.com/poolbench/poolbench/bench/internal/verdicts"
	"github.com/poolbench/poolbench/internal/metric"
)

// A measurement is a run as it was: an observation or, of a soak, the fold of one.
type measurement struct {
	*observed.Run
	fold *soaks.Fold // of a soak
}

// result computes everything that a run reports: first the judged numbers, then what they are held
// against.
func (run measurement) result() (*Result, error) {
	if run.fold != nil {
		return run.fold.Result()
	}
	o := run.Run
	s := o.Plan
	first := int(s.Warmup * float64(o.Trace.Len()))
	r := &Result{Name: o.Name, Seed: s.Seed, Tasks: o.Trace.Len() - first}
	if r.Tasks == 0 {
		return nil, observed.ErrNoTasks
	}
	m := o.Measure(first)
	flow := o.Flow(first)
	m.Report(r)
	if err := o.ReportTimes(r, first, m); err != nil {
		return nil, err
	}
	o.ReportShares(r, m, flow)
	if err := o.ReportCalls(r, o.Trace.Len()); err != nil {
		return nil, err
	}
	held := o.Held(first)
	r.Add(metric.Held, held.Share)
	parts, err := o.ReportParts(r, first)
	if err != nil {
		return nil, err
	}
	o.ReportOtherwise(r, first, m, &parts)
	verdicts.ReportLaws(r, o, flow, verdicts.ReplayOf(o, first, held), parts.Impossible)
	exact.Report(o, r, m, held)
	o.ReportCosts(r, o.Trace.Len())
	verdicts.Judge(o, r, first, m, flow, held)
	o.ReportStages(r, first)
	r.Timeline = o.Timeline()
	r.Windows, err = o.Windows()
	return r, err
}
