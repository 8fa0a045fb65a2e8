package bench

import (
	"math"
	"slices"
)

// student is the 97.5 % quantile of Student's t with as many degrees of freedom as there are
// batches but one.
const student = 2.093

// checkLength reports how much the run can tell: the effective number of tasks and the 95 %
// interval of the mean wait and of the p99 response, by batch means, and how many tasks the theory
// asks for. Neighbouring waits are so much alike that a run of 100,000 tasks at a load of 0.9 says
// as much about its p99 as 350 independent ones. A quantile or an end of its interval that cannot
// be told is left out.
func (o *observation) checkLength(r *Result, first int, m measured) {
	if a := o.scenario.Load.Arrival; a.Spec.AllAtOnce || a.Stages() != nil {
		return // there is no stationary state to sample
	}
	if !o.splits() {
		o.reportMeanWait(r, first)
	}
	o.reportP99(r, first)
	needed, widths, ok := o.runLength(m)
	if !ok {
		return
	}
	r.add("needed-tasks", needed)
	what, width := "mean wait", widths.meanWait
	if _, has := r.Metric("p99-response-sec"); has {
		what, width = "p99 response", widths.p99
	}
	if width > 1 {
		r.Doubt(Suspect, checkLength, "by theory the %s of %d tasks at this load is uncertain by "+
			"±%.0f %%; ±5 %% of the p99 takes %.2g tasks", what, m.n, 100*width, needed)
	}
}

// widths are relative half-widths of 95 % intervals.
type widths struct{ meanWait, p99 float64 }

// runLength is what theory says of a pool in whose queue everything waits, at Poisson arrivals and
// a load below 1: how many tasks the p99 response takes to be within 5 %, and how wide the
// intervals of this run are. Mean wait: N = 2ρ(1+C²)(1.96/ε)²/(1−ρ)² (Whitt, Planning queueing
// simulations, 1989). The p99: N = 7.8(1+C²)(1.96/ε)²/(1−ρ)², the constant measured over loads of
// 0.7 to 0.95, C² of 0 to 16 and 1 to 16 slots.
func (o *observation) runLength(m measured) (needed float64, w widths, ok bool) {
	s := o.scenario
	spec := s.Strategy.Spec
	if !o.poisson() || s.Target.Spec.Name != "none" || spec.Bound == nil || spec.Sheds ||
		!spec.WorkConserving {
		return 0, w, false
	}
	rate, mean := s.rate(o.mean), o.mean.Seconds()
	if s.Clock == Real {
		mean, _ = m.meanService()
		rate = m.rate()
	}
	load, c2 := rate*mean/float64(o.slots()), o.workload.C2()
	if load <= 0 || load >= 1 || math.IsInf(c2, 0) || math.IsNaN(c2) {
		return 0, w, false
	}
	const z, epsilon = 1.96, 0.05
	perTask := z * z * (1 + c2) / ((1 - load) * (1 - load)) // N ε² but for the constant
	w = widths{math.Sqrt(2 * load * perTask / float64(m.n)),
		math.Sqrt(7.8 * perTask / float64(m.n))}
	return 7.8 * perTask / (epsilon * epsilon), w, true
}

func (o *observation) reportMeanWait(r *Result, first int) {
	mean, ok := r.Metric("mean-wait-sec")
	if !ok || mean == 0 {
		return
	}
	var square, n float64
	means, ok := o.batchMeans(first, func(_ int, rec *record) (float64, bool) {
		if rec.outcome != completed {
			return 0, false
		}
		v := float64(rec.wait())/second - mean
		square += v * v
		n++
		return v, true
	})
	if !ok || square == 0 {
		return
	}
	se := standardError(means)
	r.add("mean-wait-low-sec", max(mean-student*se, 0))
	r.add("mean-wait-high-sec", mean+student*se)
	r.add("mean-wait-ess", min(square/n/(se*se), n))
}

// reportP99 finds the interval of the p99 response by the share of tasks beyond it, batch by batch:
// the interval of that share, turned back into quantiles.
func (o *observation) reportP99(r *Result, first int) {
	p99, ok := r.Metric("p99-response-sec")
	p90, ok90 := r.Metric("p90-response-sec")
	if !ok || !ok90 {
		return
	}
	at, from := int64(math.Round(p99*second)), int64(math.Round(p90*second))
	var beyond []int64 // the p90; the ends of the interval are searched among them
	n := 0
	means, ok := o.batchMeans(first, func(_ int, rec *record) (float64, bool) {
		if rec.outcome != completed {
			return 0, false
		}
		n++
		v := rec.response()
		if v > from {
			beyond = append(beyond, v)
		}
		if v > at {
			return 1, true
		}
		return 0, true
	})
	if !ok {
		return
	}
	const p = 0.99
	independent := math.Sqrt(p * (1 - p) / float64(n))
	se := max(standardError(means), independent)
	slices.Sort(beyond)
	// rank counts from the smallest response; those up to the p90 are not among the ones at hand.
	for _, end := range []struct {
		unit string
		rank int
	}{
		{"p99-response-low-sec", int(math.Floor(float64(n) * (p - student*se)))},
		{"p99-response-high-sec", int(math.Ceil(float64(n)*(p+student*se))) + 1},
	} {
		if i := end.rank - 1 - (n - len(beyond)); i >= 0 && i < len(beyond) {
			r.add(end.unit, float64(beyond[i])/second)
		}
	}
	r.add("p99-response-ess", float64(n)*(independent/se)*(independent/se))
}

// standardError is that of the mean of the batches, which neighbours that are alike widen.
func standardError(x [batches]float64) float64 {
	mean, sd := meanAndSD(x[:])
	product, square := 0.0, 0.0
	for i, v := range x {
		square += (v - mean) * (v - mean)
		if i > 0 {
			product += (v - mean) * (x[i-1] - mean)
		}
	}
	if square == 0 {
		return 0
	}
	correlation := min(max(product/square, 0), 0.9)
	return sd / math.Sqrt(batches) * math.Sqrt((1+correlation)/(1-correlation))
}
