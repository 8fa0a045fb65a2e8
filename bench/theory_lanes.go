package bench

import (
	"github.com/poolbench/poolbench/internal/dist"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/workloads"
)

// besideOneAnother is a strategy that keeps short and long tasks apart: a queue for each, fed by its share of Poisson arrivals, which are Poisson
// themselves. Nil where a class has no lane, where the workload does not tell them apart, and where a queue of them has no closed form.
func (o *observation) besideOneAnother(pool theory.Pool, d dist.Dist) (*theory.Answer, error) {
	parts, err := o.laneParts(pool.Rate, d)
	if err != nil || parts == nil {
		return nil, err
	}
	return theory.Mixed(parts...), nil
}

// laneParts are the queues of the short and of the long tasks, in this order. Under the real clock the classes' own realised means are not known.
func (o *observation) laneParts(rate float64, d dist.Dist) (parts []theory.Part, err error) {
	branches := o.classes(d)
	if branches == nil || o.scenario.Clock == Real {
		return nil, nil
	}
	for i, class := range []strategies.Class{strategies.Short, strategies.Long} {
		for _, lane := range o.scenario.Strategy.Spec.Lanes(o.scenario.params()) {
			if lane.Class != class {
				continue
			}
			b := branches[i]
			answer, err := waiting(theory.Pool{Rate: rate * b.P, MeanService: dist.MeanNS(b.Dist) / second, Limit: lane.Limit}, b.Dist)
			if err != nil || answer == nil {
				return nil, err
			}
			parts = append(parts, theory.Part{Share: b.P, Answer: answer})
		}
	}
	if len(parts) != 2 {
		return nil, nil
	}
	return parts, nil
}

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

// checkLanes looks for a lane that is offered more than it can do, which a pool as a whole need not be: a run of it says how long it was.
func (o *observation) checkLanes(r *Result) {
	s := o.scenario
	branches := o.classes(o.dist())
	if s.Strategy.Spec.Lanes == nil || branches == nil || s.Load.Arrival.IsClosed() || s.Load.Arrival.Spec.AllAtOnce {
		return
	}
	rate := s.rate(o.mean)
	loads := strategies.LaneLoads(s.Strategy.Spec.Lanes(s.params()), []strategies.ClassLoad{
		{Class: strategies.Short, Rate: rate * branches[0].P, Mean: branches[0].Dist.Mean()},
		{Class: strategies.Long, Rate: rate * branches[1].P, Mean: branches[1].Dist.Mean()},
	})
	for i, l := range loads[:len(loads)-1] {
		if !l.Stable() {
			r.Doubt(Suspect, checkLane, "the places for %s tasks are offered %.3g times what they can do (%v), so that their queue grows for as long as the run lasts",
				[...]string{"short", "long"}[min(i, 1)], l.Utilisation, l)
		}
	}
}

// reportLanes adds what is known of each class.
func (o *observation) reportLanes(r *Result, rate float64) {
	if o.scenario.Strategy.Spec.Lanes == nil {
		return
	}
	parts, err := o.laneParts(rate, o.dist())
	if err != nil {
		return // a lane that is overloaded: the whole was without an answer, too
	}
	for i, p := range parts {
		class := [...]string{"short", "long"}[i]
		r.add("theory-"+class+"-mean-response-sec", p.MeanResponse)
		if t, ok := p.ResponseQuantile(0.99); ok {
			r.add("theory-"+class+"-p99-response-sec", t)
		}
	}
}

// delayed is a strategy that bounds how often tasks start, as long as a place was never wanting. Whether it was is seen in the run: then, and only
// then, its tasks waited for nothing but a start.
func (o *observation) delayed(pool theory.Pool, d dist.Dist) (*theory.Answer, error) {
	if o.peak >= int64(pool.Limit) {
		return nil, nil
	}
	allowed := o.scenario.Strategy.Spec.Starts(o.scenario.params())
	_, constant := d.(dist.Constant)
	starts := theory.Starts{Rate: pool.Rate, Allowed: allowed.PerSecond, Burst: allowed.Kept, MeanService: pool.MeanService, Constant: constant}
	if allowed.Kept == 0 {
		return theory.Ticker(starts)
	}
	return theory.TokenBucket(starts)
}
