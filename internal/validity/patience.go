package validity

import (
	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// A task with an exponential patience is abandoned at the same rate while it waits and while it
// runs. With the shorter of service time and remaining patience as service time, the slots form an
// Erlang A queue (theory.MMkM).
func reportPatience(o *observe.Run, r *result.Result, m observe.Totals) {
	s, spec := o.Plan, o.Plan.Strategy
	_, exponential := o.Dist().(dist.Exponential)
	patience, memoryless := s.Patience.(dist.Exponential)
	if !exponential || !memoryless || !o.Poisson() || !spec.FIFO || !spec.WorkConserving ||
		spec.Quantum != nil || spec.Sheds || spec.ClassPools != nil || spec.Starts != nil ||
		spec.Splits || spec.Bound == nil {
		return
	}
	rate, mean, gone := s.Rate(o.Mean), o.Mean.Seconds(), patience.M/observe.Second
	inSlot := 1 / (1/mean + 1/gone)
	if !s.Virtual {
		rate = m.Rate()
		inSlot, _ = m.MeanService()
	}
	if rate <= 0 || inSlot <= 0 {
		return
	}
	answer, err := theory.MMkM(theory.Pool{Rate: rate, MeanService: inSlot, Limit: o.Slots()}, gone)
	if err != nil {
		return
	}
	gaveUpStarted := (1 - answer.GaveUpProb) * inSlot / gone
	gaveUp := answer.GaveUpProb + gaveUpStarted
	noise := noise{Relaxation(o, rate*inSlot/float64(o.Slots()), o.Workload.C2()), answer.WaitProb}
	claim(o, r, metric.MeanWait, answer.MeanWait,
		noise.meanWait(answer.MeanWait, func(rec *record.Record) (float64, bool) {
			return float64(rec.Wait()) / observe.Second, rec.Outcome == record.Completed
		}))
	claim(o, r, metric.Waited, answer.WaitProb,
		noise.share(answer.WaitProb, func(rec *record.Record) (bool, bool) {
			return rec.Wait() > 0, rec.Attempts > 0
		}))
	claim(o, r, metric.GaveUp, gaveUp, noise.share(gaveUp,
		func(rec *record.Record) (bool, bool) { return rec.Outcome == record.GaveUp, true }))
	claim(o, r, metric.GaveUpStarted, gaveUpStarted, noise.share(gaveUpStarted,
		func(rec *record.Record) (bool, bool) {
			return rec.Outcome == record.GaveUp && rec.Attempts > 0, true
		}))
	throughput := rate * (1 - gaveUp)
	claim(o, r, metric.Throughput, throughput, gaps(o, 1/rate))
}
