package bench

import (
	"fmt"
	"math"
)

// A run is divided into so many batches of tasks, in the order of their due times, that each half
// has enough to tell its spread and each batch is long against the memory of the queue (20 to 30
// batches: Schmeiser, Batch size effects in the analysis of simulation output, 1982).
const batches = 20

// What makes a drift: one half's mean half as large again as the other's, and that beyond chance by
// so many standard errors. In runs that are far too short for their load, whose batches are alike,
// some 2 in 1000 stable queues give a false alarm (TestNoFalseDrift counts them); in longer ones
// none was seen. A trend is next to impossible in whatever is stationary.
const (
	driftFactor = 1.5
	stepErrors  = 5
	trendErrors = 4
)

// checkDrift compares the second half of the measured tasks with the first. A queue that grows for
// as long as the run lasts, at a load of 1 or more, has no mean wait: the number is that of the
// run's length.
func (o *observation) checkDrift(r *Result, first int) {
	if !o.stationary() {
		return
	}
	_, of := o.drifting()
	means, ok := o.batchMeans(first, func(_ int, rec *record) (float64, bool) {
		return float64(of(rec)), drifts(rec)
	})
	if ok {
		o.judgeDrift(r, means)
	}
}

// stationary reports whether the plan itself is.
func (o *observation) stationary() bool {
	arrival := o.scenario.Load.Arrival.Spec
	return !arrival.AllAtOnce && !arrival.Unsteady
}

// drifting is what is looked at.
func (o *observation) drifting() (what string, of func(*record) int64) {
	if o.splits() || o.bound() == 0 {
		return "response", (*record).response
	}
	return "wait", (*record).wait
}

// drifts reports whether a task tells of it: one that was cut short does not.
func drifts(rec *record) bool {
	return rec.attempts > 0 && rec.outcome != unsettled && rec.outcome != abandoned
}

// judgeDrift compares the halves.
func (o *observation) judgeDrift(r *Result, means [batches]float64) {
	what, _ := o.drifting()
	h := compareHalves(means)
	if how, ok := h.beyondChance(); ok {
		r.Doubt(Suspect, checkDrift, "the mean %s is %s in the first half of the run and %s in "+
			"the second, %s: the number says how long the run was",
			what, spell(h.first), spell(h.second), how)
	}
}

// batchMeans averages a value over each of the batches, of as many tasks that count each; ok is
// false where they would hold fewer than 10.
func (o *observation) batchMeans(
	first int, value func(i int, rec *record) (v float64, counts bool),
) (means [batches]float64, ok bool) {
	if o.scratch == nil { // a dozen tests share it: its pages cost more than they do
		o.scratch = make([]float64, 0, o.trace.n-first)
	}
	values := o.scratch[:0]
	for i := first; i < o.trace.n; i++ {
		if v, counts := value(i, o.trace.at(i)); counts {
			values = append(values, v)
		}
	}
	n := len(values)
	for b := range means {
		batch := values[b*n/batches : (b+1)*n/batches]
		for _, v := range batch {
			means[b] += v / float64(len(batch))
		}
	}
	return means, n >= 10*batches
}

// halves is what the batches say of a difference between the two halves of a run.
type halves struct {
	first, second float64 // means
	// the difference in standard errors, by the spread of the batches within each half
	step  float64
	trend float64 // the mean change from batch to batch in standard errors
}

// compareHalves makes two tests. One is for a step: Student's t of the halves' batches, the
// standard error widened by the correlation of neighbouring batches, since waits of tasks that met
// in a queue are not independent. A steady growth makes the batches of a half differ, and looks to
// it like correlation. So the other is for a trend, by the changes from batch to batch: those of a
// stable queue cancel out, those of one that grows add up, and those of a queue at the very limit,
// a walk without drift, have mean 0.
func compareHalves(x [batches]float64) (h halves) {
	const half = batches / 2
	for i := range half {
		h.first += x[i] / half
		h.second += x[half+i] / half
	}
	var square, product float64
	for i := range x {
		d := x[i] - h.of(i)
		square += d * d
		if i%half > 0 {
			product += d * (x[i-1] - h.of(i-1))
		}
	}
	correlation := 0.0
	if square > 0 {
		correlation = product / square
	}
	// A correlation that is estimated from so few is too low by (1+4ρ)/n on average (Kendall, Note
	// on bias in the estimation of autocorrelation, 1954).
	correlation = min(max(correlation+(1+4*correlation)/half, 0), 0.95)
	variance := square / (batches - 2) * (1 + correlation) / (1 - correlation)
	h.step = errorsOf(h.second-h.first, math.Sqrt(2*variance/half))
	var changes [batches - 1]float64
	for i := range changes {
		changes[i] = x[i+1] - x[i]
	}
	mean, spread := meanAndSD(changes[:])
	h.trend = errorsOf(mean, spread/math.Sqrt(batches-1))
	return h
}

func (h halves) of(batch int) float64 {
	if batch < batches/2 {
		return h.first
	}
	return h.second
}

// beyondChance reports whether the halves differ, and by which test.
func (h halves) beyondChance() (how string, ok bool) {
	switch {
	case max(h.first, h.second) <= driftFactor*min(h.first, h.second):
	case math.Abs(h.trend) > trendErrors:
		return fmt.Sprintf("a steady change, %.0f standard errors from none", math.Abs(h.trend)),
			true
	case math.Abs(h.step) > stepErrors:
		return fmt.Sprintf("%.0f standard errors apart", math.Abs(h.step)), true
	}
	return "", false
}

// errorsOf is a difference in its standard errors.
func errorsOf(difference, standardError float64) float64 {
	if difference == 0 {
		return 0
	}
	return difference / standardError
}

func meanAndSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}
