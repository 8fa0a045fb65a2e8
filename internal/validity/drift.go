package validity

import (
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// A run drifts if the means of its halves differ by more than driftFactor, and by StepErrors
// standard errors for a step or trendErrors for a trend. In TestNoFalseDrift, about 2 per 1000
// stable queues drift if the runs are far too short for their load.
const (
	driftFactor = 1.5
	StepErrors  = 5
	trendErrors = 4
	// maxUps is the number of increases from batch to batch that indicates growth. A random walk
	// has as many with probability 20/2¹⁹.
	maxUps = observe.Batches - 2
)

func CheckDrift(o *observe.Run, r *result.Result, first int) {
	if !o.Stationary() {
		return
	}
	_, of := Drifting(o)
	means, _, ok := o.BatchMeans(first, func(_ int, rec *record.Record) (float64, bool) {
		return float64(of(rec)), Drifts(rec)
	})
	if ok && JudgeDrift(o, r, means) || !o.Recorded || o.Plan.Arrival.IsClosed() {
		return
	}
	// In LIFO or random order some tasks start at once even in a growing queue, so the responses
	// may not show the growth.
	open := open(o)
	means, _, ok = o.BatchMeans(first, func(i int, _ *record.Record) (float64, bool) {
		return float64(open[i]), true
	})
	h := CompareHalves(means)
	if how, grows := h.grows(); ok && grows {
		r.Doubt(result.Suspect, rundir.CheckDrift,
			"%.3g requests are open in the first half of the run and %.3g in the second, %s: "+
				"more requests are sent than answered, so the results depend on the length of "+
				"the run", h.first, h.second, how)
	}
}

func open(o *observe.Run) (all []int) {
	all = make([]int, o.Trace.Len())
	ends := make([]int64, o.Trace.Len())
	for i := range ends {
		ends[i] = o.Trace.At(i).End
	}
	slices.Sort(ends)
	ended := 0
	for i := range all {
		for due := o.Trace.At(i).Due; ended < len(ends) && ends[ended] <= due; ended++ {
		}
		all[i] = i - ended
	}
	return all
}

func Drifting(o *observe.Run) (what string, of func(*record.Record) int64) {
	if o.Splits() || o.Bound() == 0 {
		return metric.Response, (*record.Record).Response
	}
	return metric.Wait, (*record.Record).Wait
}

func Drifts(rec *record.Record) bool {
	return rec.Attempts > 0 && rec.Outcome != record.Unsettled && rec.Outcome != record.Abandoned
}

func JudgeDrift(o *observe.Run, r *result.Result, means [observe.Batches]float64) (drifts bool) {
	what, _ := Drifting(o)
	h := CompareHalves(means)
	how, ok := h.beyondChance()
	if ok {
		r.Doubt(result.Suspect, rundir.CheckDrift,
			"the mean %s is %s in the first half of the run and %s in the second, %s: the "+
				"results depend on the length of the run",
			what, text.Seconds(h.first/1e9), text.Seconds(h.second/1e9), how)
	}
	return ok
}

type halves struct {
	first, second float64
	// difference in standard errors, from the spread of the batches within each half
	Step  float64
	trend float64 // mean change from batch to batch, in standard errors
	ups   int
}

// CompareHalves tests for a step by Student's t of the batches. Steady growth within a half looks
// like correlation. The trend test therefore uses the changes from batch to batch, which cancel out
// in a stable queue and add up in a growing one.
func CompareHalves(x [observe.Batches]float64) (h halves) {
	const half = observe.Batches / 2
	for i := range half {
		h.first += x[i] / half
		h.second += x[half+i] / half
	}
	var square, product float64
	for i := range x {
		d := x[i] - h.mean(i)
		square += d * d
		if i%half > 0 {
			product += d * (x[i-1] - h.mean(i-1))
		}
	}
	h.Step = ErrorsOf(h.second-h.first, math.Sqrt(2*Variance(square, product)/half))
	var changes [observe.Batches - 1]float64
	for i := range changes {
		if changes[i] = x[i+1] - x[i]; changes[i] > 0 {
			h.ups++
		}
	}
	mean, spread := observe.MeanAndSD(changes[:])
	h.trend = ErrorsOf(mean, spread/math.Sqrt(observe.Batches-1))
	return h
}

// Variance returns the variance of the batches, widened by the correlation of neighbours. square
// and product are sums over deviations from the mean. A correlation estimated from n values is too
// low by (1+4ρ)/n on average (Kendall, Note on bias in the estimation of autocorrelation, 1954).
func Variance(square, product float64) float64 {
	correlation := 0.0
	if square > 0 {
		correlation = product / square
	}
	correlation = min(max(correlation+(1+4*correlation)*2/observe.Batches, 0), 0.95)
	return square / (observe.Batches - 2) * (1 + correlation) / (1 - correlation)
}

func (h halves) mean(batch int) float64 {
	if batch < observe.Batches/2 {
		return h.first
	}
	return h.second
}

func (h halves) beyondChance() (how string, ok bool) {
	if max(h.first, h.second) <= driftFactor*min(h.first, h.second) {
		return "", false
	}
	if how, ok := h.changes(); ok {
		return how, true
	}
	if math.Abs(h.Step) > StepErrors {
		return fmt.Sprintf("a difference of %.0f standard errors", math.Abs(h.Step)), true
	}
	return "", false
}

func (h halves) grows() (how string, ok bool) {
	if h.second <= driftFactor*h.first {
		return "", false
	}
	return h.changes()
}

func Grows(means [observe.Batches]float64) bool {
	_, grows := CompareHalves(means).grows()
	return grows
}

// A few stalls of the machine inflate the standard error, so changes also tests the signs of the
// changes.
func (h halves) changes() (how string, ok bool) {
	switch {
	case math.Abs(h.trend) > trendErrors:
		return fmt.Sprintf("a steady change of %.0f standard errors", math.Abs(h.trend)),
			true
	case h.ups >= maxUps:
		return fmt.Sprintf("a steady growth in %d of %d steps", h.ups, observe.Batches-1), true
	}
	return "", false
}

func ErrorsOf(difference, standardError float64) float64 {
	if difference == 0 {
		return 0
	}
	return difference / standardError
}
