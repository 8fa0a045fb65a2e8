package validity

import (
	"math"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/workloads"
)

// The mean wait over all tasks is equal in every order that does not depend on their times.
// reorderedAnswer returns nil if the order may depend on them, if the strategy idles slots or
// sheds, or if tasks waited in front of a full queue.
func reorderedAnswer(
	o *observe.Run, pool theory.Pool, d dist.Dist, h observe.Blocked,
) (*theory.Answer, error) {
	spec := o.Plan.Strategy
	if !spec.WorkConserving || spec.Quantum != nil || spec.Sheds || h.Ever || spec.ByDeadline ||
		spec.Weights != nil && spec.Weights(o.Plan.Params) == nil {
		return nil, nil
	}
	answer, err := waiting(pool, d)
	if err != nil || answer == nil {
		return nil, err
	}
	return theory.InAnyOrder(answer), nil
}

func reportPriorities(o *observe.Run, r *result.Result, pool theory.Pool, h observe.Blocked) {
	spec, d := o.Plan.Strategy, o.Dist()
	w, ok := o.Workload.(workloads.Prioritised)
	if !ok || spec.ByPriority == nil || !spec.ByPriority(o.Plan.Params) || h.Ever {
		return
	}
	shares := w.PriorityShares()
	if shares == nil {
		return
	}
	var answer *theory.Answer
	var waits []float64
	var err error
	switch _, exponential := d.(dist.Exponential); {
	case exponential:
		answer, waits, err = theory.PriorityMMk(pool, shares)
	case pool.Limit == 1 && !math.IsInf(d.C2(), 0):
		answer, waits, err = theory.PriorityMG1(pool, d.C2(), shares)
	}
	if err != nil || answer == nil {
		return
	}
	noise := noiseOf(o, answer, pool.Utilisation())
	for i, wait := range waits {
		priority := int32(len(waits) - 1 - i)
		of := noise.meanWait(wait, func(rec *record.Record) (float64, bool) {
			return float64(rec.Wait()) / observe.Second, rec.Outcome == record.Completed
		})
		value := of.Value
		of.Value = func(i int, rec *record.Record) (float64, bool) {
			v, counts := value(i, rec)
			return v, counts && w.Priority(uint64(i)) == priority
		}
		claim(o, r, metric.OfPriority(int(priority), metric.MeanWait), wait, of)
	}
}
