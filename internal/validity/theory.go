package validity

import (
	"errors"
	"math"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// ReportExact adds the exact values if a closed form exists. The inputs are the plan under the
// virtual clock, and the realised rate and mean under the real clock, because a timer that
// overshoots by 10 % makes a different queue.
func ReportExact(o *observe.Run, r *result.Result, m observe.Totals, h observe.Blocked) {
	s := o.Plan
	if s.Target != "none" || s.Drain != 0 || s.Timeout != 0 {
		return
	}
	if s.Patience != nil {
		reportPatience(o, r, m)
		return
	}
	mean := o.Mean.Seconds()
	rate := s.Rate(o.Mean)
	if !s.Virtual {
		mean, _ = m.MeanService()
		rate = m.Rate()
	}
	if s.Arrival.Spec.AllAtOnce {
		reportBatch(o, r, mean)
		return
	}
	answer, err := exactAnswer(o, rate, mean, h)
	var unstable *theory.UnstableError
	switch {
	case errors.As(err, &unstable):
		switch spec := s.Strategy; {
		case spec.Starts != nil:
			allowed := spec.Starts(s.Params)
			kept := allowed.PerSecond * float64(allowed.Kept) / float64(m.N)
			claimLimit(o, r, metric.Throughput, allowed.PerSecond,
				kept+overloadNoise(o, r, m, rate/allowed.PerSecond, allowed.PerSecond))
		case spec.ClassPools == nil:
			capacity := float64(o.Slots()) / mean
			claimLimit(o, r, metric.Throughput, capacity,
				overloadNoise(o, r, m, rate/capacity, capacity))
		}
		return
	case err != nil || answer == nil:
		return
	}
	noise := noiseOf(o, answer, rate*mean/float64(o.Slots()))
	claim(o, r, metric.MeanWait, answer.MeanWait,
		noise.meanWait(answer.MeanWait, func(rec *record.Record) (float64, bool) {
			return float64(rec.Wait()) / observe.Second, rec.Outcome == record.Completed
		}))
	claim(o, r, metric.Waited, answer.WaitProb,
		noise.share(answer.WaitProb, func(rec *record.Record) (bool, bool) {
			return rec.Wait() > 0, rec.Attempts > 0
		}))
	for _, q := range metric.Quantiles {
		if t, ok := answer.ResponseQuantile(q.P); ok {
			claim(o, r, q.Unit(metric.Response), t,
				noise.quantile(t, answer, func(*record.Record) bool { return true }))
		}
	}
	reportPools(o, r, rate, h)
	reportPriorities(o, r, theory.Pool{Rate: rate, MeanService: mean, Limit: o.Slots()}, h)
	claim(o, r, metric.Shed, answer.ShedProb, noise.share(answer.ShedProb,
		func(rec *record.Record) (bool, bool) { return rec.Outcome == record.Shed, true }))
	claim(o, r, metric.Throughput, answer.Throughput,
		gaps(o, (1-answer.ShedProb)/answer.Throughput))
}

func reportBatch(o *observe.Run, r *result.Result, mean float64) {
	spec := o.Plan.Strategy
	if _, exponential := o.Dist().(dist.Exponential); !exponential || spec.Bound == nil ||
		!spec.WorkConserving || spec.Sheds || spec.Splits {
		return
	}
	if makespan, err := theory.BatchMakespan(o.Trace.Len(), mean, o.Slots()); err == nil {
		claimLimit(o, r, metric.Makespan, makespan, batchNoise(o.Trace.Len(), o.Slots(), mean))
	}
}

func exactAnswer(o *observe.Run, rate, mean float64, h observe.Blocked) (*theory.Answer, error) {
	s, spec, d := o.Plan, o.Plan.Strategy, o.Dist()
	if d == nil || mean <= 0 {
		return nil, nil
	}
	if s.Arrival.IsClosed() {
		clients, err := s.Arrival.Spec.Closed(s.Arrival.Values)
		if _, exponential := d.(dist.Exponential); err != nil || !exponential || !spec.FIFO ||
			!spec.WorkConserving || spec.Quantum != nil || spec.Sheds || spec.Bound == nil {
			return nil, err
		}
		return theory.MMkN(theory.Closed{Clients: clients.Count,
			Think: dist.MeanNS(clients.Think) / observe.Second, MeanService: mean,
			Limit: o.Slots()})
	}
	if s.Arrival.Spec.Name != "poisson" || rate <= 0 {
		return nil, nil
	}
	pool := theory.Pool{Rate: rate, MeanService: mean, Limit: o.Slots()}
	switch {
	case spec.Starts != nil:
		return rateLimitAnswer(o, pool, d)
	case spec.ClassPools != nil:
		return classPoolsAnswer(o, pool, d, h)
	case spec.Bound == nil:
		return theory.MGInf(pool)
	case spec.Chooses() != "":
		return reorderedAnswer(o, pool, d, h)
	case !spec.FIFO || !spec.WorkConserving || spec.Quantum != nil:
		return nil, nil
	case spec.Sheds:
		if spec.Capacity == nil {
			return nil, nil
		}
		return shedding(pool, spec.Capacity(s.Params)-o.Bound(), d)
	}
	return waiting(pool, d)
}

func shedding(pool theory.Pool, queue int, d dist.Dist) (*theory.Answer, error) {
	if queue == 0 {
		return theory.MGkk(pool) // independent of the distribution of task times
	}
	if _, exponential := d.(dist.Exponential); exponential {
		return theory.MMkK(pool, queue)
	}
	return nil, nil
}

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

func hyperexponential(m dist.Mixture) (theory.H2, bool) {
	branches := m.Branches()
	if len(branches) != 2 {
		return theory.H2{}, false
	}
	a, aOK := branches[0].Dist.(dist.Exponential)
	b, bOK := branches[1].Dist.(dist.Exponential)
	return theory.H2{P1: branches[0].P, Mean1: a.M / observe.Second,
		Mean2: b.M / observe.Second}, aOK && bOK
}
