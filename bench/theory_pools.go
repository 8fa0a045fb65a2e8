package bench

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/theory"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// besideOneAnother is a strategy that keeps classes of tasks apart: a queue for each, fed by its
// share of Poisson arrivals, which are Poisson themselves. Where all tasks are of one class it is
// one queue, before the slots of its class pool or, without a class pool, before all of them. Nil
// where only some tasks have a class pool, where a queue of them has no closed form, and where a
// task stood before a full queue: then it was in the other's way.
func (o *observation) besideOneAnother(
	pool theory.Pool, d dist.Dist, h held,
) (*theory.Answer, error) {
	if o.plan.Strategy.Sheds {
		return nil, nil // pools that are full lose tasks, each its own
	}
	if o.classes(d) == nil {
		var one strategies.Class
		for i := range o.trace.Len() {
			if class := o.trace.At(i).Class; i > 0 && class != one {
				return nil, nil
			} else {
				one = class
			}
		}
		if slots := o.slotsOf(one); slots > 0 {
			pool.Limit = slots
		}
		return waiting(pool, d)
	}
	parts, err := o.poolParts(pool.Rate, d, h)
	if err != nil || parts == nil {
		return nil, err
	}
	return theory.Mixed(parts...), nil
}

// laneParts are the queues of the short and of the long tasks, in this order. Under the real clock
// the classes' own realised means are not known.
func (o *observation) poolParts(
	rate float64, d dist.Dist, h held,
) (parts []theory.Part, err error) {
	branches := o.classes(d)
	if branches == nil || !o.plan.Virtual || h.ever {
		return nil, nil
	}
	for i, b := range branches {
		slots := o.slotsOf(bothClasses[i])
		if slots == 0 {
			return nil, nil
		}
		answer, err := waiting(theory.Pool{Rate: rate * b.P,
			MeanService: dist.MeanNS(b.Dist) / second, Limit: slots}, b.Dist)
		if err != nil || answer == nil {
			return nil, err
		}
		parts = append(parts, theory.Part{Share: b.P, Answer: answer})
	}
	return parts, nil
}

// bothClasses are those of tasks that are told apart by their length.
var bothClasses = []strategies.Class{strategies.Short, strategies.Long}

// classes are the short and the long tasks; nil where the workload does not tell them apart.
func (o *observation) classes(d dist.Dist) []dist.Branch {
	mixture, _ := d.(dist.Mixture)
	branches := mixture.Branches()
	if _, classed := o.workload.(workloads.Classed); !classed || len(branches) != 2 {
		return nil
	}
	if branches[0].Dist.Mean() > branches[1].Dist.Mean() {
		branches[0], branches[1] = branches[1], branches[0]
	}
	return branches
}

// checkPools looks for a class pool that is offered more than it can do, which a pool as a whole
// need not be: a run of it says how long it was.
func (o *observation) checkPools(r *Result) {
	s := o.plan
	branches := o.classes(o.dist())
	if o.pools == nil || branches == nil || s.Arrival.IsClosed() ||
		s.Arrival.Spec.AllAtOnce || s.Arrival.Stages() != nil {
		return
	}
	rate := s.rate(o.mean)
	loads := strategies.PoolLoads(o.pools, []strategies.ClassLoad{
		{Class: strategies.Short, Rate: rate * branches[0].P, Mean: branches[0].Dist.Mean()},
		{Class: strategies.Long, Rate: rate * branches[1].P, Mean: branches[1].Dist.Mean()},
	})
	for i, l := range loads[:len(loads)-1] {
		if !l.Stable() {
			r.Doubt(Suspect, checkPool, "the slots for %s tasks are offered %.3g times what they "+
				"can do (%v), so that their queue grows for as long as the run lasts",
				[...]string{"short", "long"}[min(i, 1)], l.Utilisation, l)
		}
	}
}

// reportPools adds what is known of each class.
func (o *observation) reportPools(r *Result, rate float64, h held) {
	if o.pools == nil {
		return
	}
	parts, err := o.poolParts(rate, o.dist(), h)
	if err != nil {
		return // a class pool that is overloaded: the whole was without an answer, too
	}
	for i, p := range parts {
		class := bothClasses[i]
		noise := o.noiseOf(p.Answer, p.MeanInFlight/float64(o.slotsOf(class)))
		of := func(rec *records.Record) bool { return rec.Class == class }
		o.claim(r, class.String()+"-mean-response-sec", p.MeanResponse,
			noise.of(p.MeanWait, func(rec *records.Record) (float64, bool) {
				return float64(rec.Response())/second - (p.MeanResponse - p.MeanWait), of(rec) &&
					rec.Outcome == records.Completed
			}))
		if t, ok := p.ResponseQuantile(0.99); ok {
			o.claim(r, class.String()+"-p99-response-sec", t, noise.beyond(t, p.Answer, of))
		}
	}
}

// slotsOf is how many slots a class has to itself; 0 where it has no class pool.
func (o *observation) slotsOf(class strategies.Class) int {
	for _, pool := range o.pools {
		if pool.Class == class {
			return pool.Limit
		}
	}
	return 0
}

// delayed is a strategy that bounds how often tasks start, as long as a slot was never wanting.
// Whether it was is seen in the run: then, and only then, its tasks waited for nothing but a start.
func (o *observation) delayed(pool theory.Pool, d dist.Dist) (*theory.Answer, error) {
	if o.peak >= int64(pool.Limit) {
		return nil, nil
	}
	allowed := o.plan.Strategy.Starts(o.plan.Params)
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
