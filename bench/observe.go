package bench

import (
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/soaks"
	"github.com/poolbench/poolbench/internal/validity"
)

type measurement struct {
	*observe.Run
	fold *soaks.Fold // set in a soak
}

func (run measurement) result() (*Result, error) {
	if run.fold != nil {
		return run.fold.Result()
	}
	o := run.Run
	s := o.Plan
	first := int(s.Warmup * float64(o.Trace.Len()))
	r := &Result{Name: o.Name, Seed: s.Seed, Tasks: o.Trace.Len() - first}
	if r.Tasks == 0 {
		return nil, observe.ErrNoTasks
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
	o.ReportWeights(r, first)
	held := o.Blocked(first)
	r.Add(metric.Blocked, held.Share)
	parts, err := o.ReportParts(r, first)
	if err != nil {
		return nil, err
	}
	o.ReportOtherwise(r, first, m, &parts)
	validity.ReportLaws(r, o, flow, validity.ReplayOf(o, first, held), parts.Impossible)
	validity.ReportExact(o, r, m, held)
	o.ReportCosts(r, o.Trace.Len())
	validity.Judge(o, r, first, m, flow, held)
	o.ReportStages(r, first)
	r.Timeline = o.Timeline()
	r.Windows, err = o.Windows()
	return r, err
}
