package bench

import (
	"errors"
	"math"

	"github.com/poolbench/poolbench/internal/dist"
	"github.com/poolbench/poolbench/internal/theory"
	"github.com/poolbench/poolbench/workloads"
)

// reportTheory adds what is known exactly about the scenario, and nothing where there is no closed form: a two-moment guess is no theory.
//
// The input is the plan's rate and the workload's mean under the virtual clock. Under the real one it is what was realised, because a
// timer that overshoots by a tenth makes another queue.
func (o *observation) reportTheory(r *Result, m measured) {
	s := o.scenario
	if s.Target.Spec.Name != "none" || s.Drain != 0 {
		return // no formula knows of what is abandoned
	}
	mean := o.mean.Seconds()
	rate := s.rate(o.mean)
	if s.Clock == Real {
		mean, _ = m.meanService()
		rate = m.rate()
	}
	if s.Load.Arrival.Spec.AllAtOnce {
		o.reportBatch(r, mean)
		return
	}
	answer, err := o.theory(rate, mean)
	var unstable *theory.UnstableError
	switch {
	case errors.As(err, &unstable):
		// The queue grows for as long as the run lasts; only the throughput has a limit.
		switch spec := s.Strategy.Spec; {
		case spec.Starts != nil:
			r.add("theory-ops/s", spec.Starts(s.params()).PerSecond)
		case spec.Lanes == nil: // of a lane too many, the others still do what they are asked
			r.add("theory-ops/s", float64(o.places())/mean)
		}
		return
	case err != nil || answer == nil:
		return
	}
	r.add("theory-mean-wait-sec", answer.MeanWait)
	r.add("theory-waited/op", answer.WaitProb)
	for _, q := range quantiles {
		if t, ok := answer.ResponseQuantile(q.p); ok {
			r.add("theory-"+q.name+"-response-sec", t)
		}
	}
	o.reportLanes(r, rate)
	r.add("theory-shed/op", answer.ShedProb)
	r.add("theory-ops/s", answer.Throughput)
}

// places is the k of the theory: the strategy's bound and, for computing, the cores.
func (o *observation) places() int {
	places := o.scenario.places()
	if bound := o.bound(); bound > 0 {
		places = min(places, bound)
	}
	return places
}

// reportBatch adds the exact mean makespan of a batch of exponential tasks.
func (o *observation) reportBatch(r *Result, mean float64) {
	spec := o.scenario.Strategy.Spec
	if _, exponential := o.dist().(dist.Exponential); !exponential || spec.Bound == nil || !spec.WorkConserving || spec.Sheds {
		return
	}
	if makespan, err := theory.BatchMakespan(o.trace.n, mean, o.places()); err == nil {
		r.add("theory-makespan-sec", makespan)
	}
}

// dist is the distribution of the task times, nil where it is not known.
func (o *observation) dist() dist.Dist {
	if d, ok := o.workload.(workloads.Distributed); ok {
		return d.Dist()
	}
	return nil
}

// theory finds the model that the scenario is an instance of; nil where there is none.
func (o *observation) theory(rate, mean float64) (*theory.Answer, error) {
	s, spec, d := o.scenario, o.scenario.Strategy.Spec, o.dist()
	if d == nil || mean <= 0 {
		return nil, nil
	}
	if s.Load.Arrival.IsClosed() {
		clients, err := s.Load.Arrival.Spec.Closed(s.Load.Arrival.Values)
		if _, exponential := d.(dist.Exponential); err != nil || !exponential || !spec.WorkConserving || spec.Sheds || spec.Bound == nil {
			return nil, err
		}
		return theory.MMkN(theory.Closed{Clients: clients.Count, Think: dist.MeanNS(clients.Think) / second, MeanService: mean, Limit: o.places()})
	}
	if s.Load.Arrival.Spec.Name != "poisson" || rate <= 0 {
		return nil, nil
	}
	pool := theory.Pool{Rate: rate, MeanService: mean, Limit: o.places()}
	switch {
	case spec.Starts != nil:
		return o.delayed(pool, d)
	case spec.Lanes != nil:
		return o.besideOneAnother(pool, d)
	case spec.Bound == nil:
		return theory.MGInf(pool)
	case !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil:
		return nil, nil
	case spec.Sheds:
		return shedding(pool, s.Queue, d)
	}
	return waiting(pool, d)
}

// shedding is the pool that refuses what finds neither a place nor room in the queue.
func shedding(pool theory.Pool, queue int, d dist.Dist) (*theory.Answer, error) {
	if queue == 0 {
		return theory.MGkk(pool) // whatever the distribution
	}
	if _, exponential := d.(dist.Exponential); exponential {
		return theory.MMkK(pool, queue)
	}
	return nil, nil
}

// waiting is the pool in whose queue everything finds room, be it the strategy's own queue or the producer that it blocks.
func waiting(pool theory.Pool, d dist.Dist) (*theory.Answer, error) {
	switch d := d.(type) {
	case dist.Constant:
		return theory.MDk(pool)
	case dist.Exponential:
		return theory.MMk(pool)
	case dist.Mixture:
		if h, ok := hyperexponential(d); ok {
			h.Mean1, h.Mean2 = h.Mean1*pool.MeanService/h.Mean(), h.Mean2*pool.MeanService/h.Mean()
			return theory.MH2k(pool.Rate, h, pool.Limit)
		}
	}
	if pool.Limit == 1 && !math.IsInf(d.C2(), 0) {
		return theory.MG1(pool, d.C2())
	}
	return nil, nil
}

// hyperexponential reports whether the mixture is one of two exponentials.
func hyperexponential(m dist.Mixture) (theory.H2, bool) {
	branches := m.Branches()
	if len(branches) != 2 {
		return theory.H2{}, false
	}
	a, aOK := branches[0].Dist.(dist.Exponential)
	b, bOK := branches[1].Dist.(dist.Exponential)
	return theory.H2{P1: branches[0].P, Mean1: a.M / second, Mean2: b.M / second}, aOK && bOK
}
