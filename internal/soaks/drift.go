package soaks

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/validity"
)

// Limits for drift that only runs of soakDriftTasks or more show: a significant relative change of
// the p99 above p99Drift, or of the share of completed tasks above doneDrift. There was no false
// alarm in 240 stable queues of 120,000 tasks at loads of 0.8 and 0.95.
const (
	soakDriftTasks = 100_000
	p99Drift       = 0.1
	doneDrift      = 0.01
)

func (f *Fold) judgeSoakDrift(r *result.Result) {
	if f.m.N < soakDriftTasks {
		return
	}
	drifts := func(x [observe.Batches]float64, least float64) (first, last float64, ok bool) {
		const quarter = observe.Batches / 4
		for i := range quarter {
			first += x[i] / quarter
			last += x[observe.Batches-1-i] / quarter
		}
		return first, last, math.Abs(last-first) > least*min(first, last) &&
			(math.Abs(slopeErrors(x)) > validity.StepErrors ||
				math.Abs(validity.CompareHalves(x).Step) > validity.StepErrors)
	}
	if p99, ok := f.tail.p99s(); ok {
		if first, last, ok := drifts(p99, p99Drift); ok {
			doubtDrift(r,
				"the p99 response is %s in the first quarter of the run, and %s in the last "+
					"quarter",
				text.Seconds(first/1e9), text.Seconds(last/1e9))
		}
	}
	if share, ok := f.done.Means(); ok {
		if first, last, ok := drifts(share, doneDrift); ok {
			doubtDrift(r, "%.3g %% of the tasks are completed in the first quarter of the run, "+
				"and %.3g %% in the last quarter", 100*first, 100*last)
		}
	}
}

// doubtDrift extends an existing drift reason, because readers show one reason per check.
func doubtDrift(r *result.Result, format string, args ...any) {
	for i, reason := range r.Reasons {
		if reason.Check == rundir.CheckDrift {
			r.Reasons[i].Text += "; " + fmt.Sprintf(format, args...)
			return
		}
	}
	r.Doubt(result.Suspect, rundir.CheckDrift, format, args...)
}

// slopeErrors returns the slope of a regression line in standard errors, which allow for
// correlation, because a random walk has a slope as well.
func slopeErrors(x [observe.Batches]float64) float64 {
	const middle = float64(observe.Batches-1) / 2
	mean, _ := observe.MeanAndSD(x[:])
	slope, spread := 0.0, 0.0
	for i, v := range x {
		at := float64(i) - middle
		slope += at * (v - mean)
		spread += at * at
	}
	slope /= spread
	var square, product, before float64
	for i, v := range x {
		off := v - mean - slope*(float64(i)-middle)
		square += off * off
		product += off * before
		before = off
	}
	return validity.ErrorsOf(slope, math.Sqrt(validity.Variance(square, product)/spread))
}

// At maxTails histograms, neighbouring pairs are merged.
const maxTails = 8 * observe.Batches

// tails contains histograms of batches of equal size, which doubles as the run grows. Each factor
// of two has 16 bins. They need 640 kB.
type tails struct {
	size, n     int
	bins, spare [][]uint32
}

const tailBins = 61 * 16

func (t *tails) add(v int64) {
	if t.size == 0 {
		t.size = 1
	}
	if t.n == t.size*len(t.bins) {
		if len(t.bins) == maxTails {
			for i := range maxTails / 2 {
				sum, of := t.bins[2*i], t.bins[2*i+1]
				for bin, n := range of {
					sum[bin] += n
				}
				clear(of)
				t.bins[i], t.spare = sum, append(t.spare, of)
			}
			t.bins = t.bins[:maxTails/2]
			t.size *= 2
		}
		var next []uint32
		if n := len(t.spare); n > 0 {
			next, t.spare = t.spare[n-1], t.spare[:n-1]
		} else {
			next = make([]uint32, tailBins)
		}
		t.bins = append(t.bins, next)
	}
	t.bins[len(t.bins)-1][tailBin(v)]++
	t.n++
}

func tailBin(v int64) int {
	u := uint64(max(v, 0))
	shift := max(bits.Len64(u)-5, 0)
	return 16*shift + int(u>>shift)
}

func tailFrom(bin int) float64 {
	if bin < 32 {
		return float64(bin)
	}
	return math.Ldexp(float64(16+bin%16), bin/16-1)
}

// p99s ignores an incomplete last histogram.
func (t *tails) p99s() (q [observe.Batches]float64, ok bool) {
	full := t.n / max(t.size, 1)
	if full < observe.Batches {
		return q, false
	}
	for i := range q {
		var sum [tailBins]int
		for _, of := range t.bins[i*full/observe.Batches : (i+1)*full/observe.Batches] {
			for bin, n := range of {
				sum[bin] += int(n)
			}
		}
		q[i] = p99Of(&sum)
	}
	return q, true
}

func p99Of(sum *[tailBins]int) float64 {
	n := 0
	for _, of := range sum {
		n += of
	}
	above := float64(n) / 100
	for bin := tailBins - 1; bin > 0; bin-- {
		of := float64(sum[bin])
		if of >= above && of > 0 {
			from := tailFrom(bin)
			return from + (tailFrom(bin+1)-from)*(1-above/of)
		}
		above -= of
	}
	return 0
}
