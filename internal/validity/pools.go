package validity

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
)

// classPoolsAnswer returns nil if only some tasks have a pool, if a queue has no closed form, or if
// a full queue of one class blocked the other.
func classPoolsAnswer(o *observe.Run,
	pool theory.Pool, d dist.Dist, h observe.Blocked,
) (*theory.Answer, error) {
	if o.Plan.Strategy.Sheds {
		return nil, nil // each pool sheds separately
	}
	if o.Classes(d) == nil {
		var one strategies.Class
		for i, rec := range o.Trace.From(0) {
			if class := rec.Class; i > 0 && class != one {
				return nil, nil
			} else {
				one = class
			}
		}
		if slots := o.SlotsOf(one); slots > 0 {
			pool.Limit = slots
		}
		return waiting(pool, d)
	}
	parts, err := poolParts(o, pool.Rate, d, h)
	if err != nil || parts == nil {
		return nil, err
	}
	return theory.Mixed(parts...), nil
}

// poolParts returns nil under the real clock, where the realised mean of each class is unknown.
func poolParts(o *observe.Run,
	rate float64, d dist.Dist, h observe.Blocked,
) (parts []theory.Part, err error) {
	branches := o.Classes(d)
	if branches == nil || !o.Plan.Virtual || h.Ever {
		return nil, nil
	}
	for i, b := range branches {
		slots := o.SlotsOf(observe.BothClasses[i])
		if slots == 0 {
			return nil, nil
		}
		answer, err := waiting(theory.Pool{Rate: rate * b.P,
			MeanService: dist.MeanNS(b.Dist) / observe.Second, Limit: slots}, b.Dist)
		if err != nil || answer == nil {
			return nil, err
		}
		parts = append(parts, theory.Part{Share: b.P, Answer: answer})
	}
	return parts, nil
}

// A class pool may be overloaded even if the load of all slots is below 1.
func CheckPools(o *observe.Run, r *result.Result) {
	s := o.Plan
	branches := o.Classes(o.Dist())
	if o.Pools == nil || branches == nil || s.Arrival.IsClosed() ||
		s.Arrival.Spec.AllAtOnce || s.Arrival.Stages() != nil {
		return
	}
	rate := s.Rate(o.Mean)
	loads := strategies.PoolLoads(o.Pools, []strategies.ClassLoad{
		{Class: strategies.Short, Rate: rate * branches[0].P, Mean: branches[0].Dist.Mean()},
		{Class: strategies.Long, Rate: rate * branches[1].P, Mean: branches[1].Dist.Mean()},
	})
	for i, l := range loads[:len(loads)-1] {
		if !l.Stable() {
			r.Doubt(result.Suspect, rundir.CheckOverload,
				"the load of the slots for %s tasks is %.3g times their capacity (%v), so their "+
					"queue grows until the run ends",
				observe.BothClasses[min(i, 1)], l.Utilisation, l)
		}
	}
}

func reportPools(o *observe.Run, r *result.Result, rate float64, h observe.Blocked) {
	if o.Pools == nil {
		return
	}
	parts, err := poolParts(o, rate, o.Dist(), h)
	if err != nil {
		return
	}
	for i, p := range parts {
		class := observe.BothClasses[i]
		noise := noiseOf(o, p.Answer, p.MeanInFlight/float64(o.SlotsOf(class)))
		of := func(rec *record.Record) bool { return rec.Class == class }
		claim(o, r, metric.OfKind(class.String(), metric.MeanResponse), p.MeanResponse,
			noise.meanWait(p.MeanWait, func(rec *record.Record) (float64, bool) {
				return float64(rec.Response())/observe.Second - (p.MeanResponse - p.MeanWait),
					of(rec) &&
						rec.Outcome == record.Completed
			}))
		if t, ok := p.ResponseQuantile(0.99); ok {
			claim(o, r, metric.OfKind(class.String(), metric.P99Response), t,
				noise.quantile(t, p.Answer, of))
		}
	}
}

// rateLimitAnswer returns nil unless a slot was free during the whole run, because otherwise tasks
// also waited for slots.
func rateLimitAnswer(o *observe.Run, pool theory.Pool, d dist.Dist) (*theory.Answer, error) {
	if o.Peak >= int64(pool.Limit) {
		return nil, nil
	}
	allowed := o.Plan.Strategy.Starts(o.Plan.Params)
	if allowed.Several {
		return nil, nil
	}
	_, constant := d.(dist.Constant)
	starts := theory.Starts{Rate: pool.Rate, Allowed: allowed.PerSecond, Burst: allowed.Kept,
		MeanService: pool.MeanService, Constant: constant}
	if allowed.Kept == 0 {
		return theory.Ticker(starts)
	}
	return theory.TokenBucket(starts)
}
