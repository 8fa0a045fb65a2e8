package advise

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Figure is the value of a metric with its 95 % interval.
type Figure struct{ Low, Mid, High float64 }

var unknown = Figure{math.NaN(), math.NaN(), math.NaN()}

func (f Figure) Known() bool { return !math.IsNaN(f.Mid) }

func (f Figure) times(by Figure) Figure {
	mid := f.Mid * by.Mid
	if !(f.Low > 0) || !(by.Low > 0) {
		return Figure{f.Low * by.Low, mid, f.High * by.High}
	}
	down := math.Hypot(math.Log(f.Mid/f.Low), math.Log(by.Mid/by.Low))
	up := math.Hypot(math.Log(f.High/f.Mid), math.Log(by.High/by.Mid))
	return Figure{mid / math.Exp(down), mid, mid * math.Exp(up)}
}

// plus adds an independent value of that half-width. Metrics are never below 0.
func (f Figure) plus(mean, half float64) Figure {
	mid := f.Mid + mean
	return Figure{max(0, mid-math.Hypot(f.Mid-f.Low, half)), mid,
		mid + math.Hypot(f.High-f.Mid, half)}
}

func (f Figure) judge(o objectives.Objective) objectives.Verdict {
	return decide.Interval(o.Limit(), f.Low, f.High)
}

type reading interface {
	figure(unit string) Figure
	grows() bool // the queue grows throughout the traffic, which leaves no figure
}

func judge(r reading, list objectives.List) objectives.Verdict {
	verdicts := make([]objectives.Verdict, len(list))
	for i, o := range list {
		verdicts[i] = r.figure(o.Unit).judge(o)
	}
	return decide.All(verdicts...)
}

func halfWidth(values []float64, varianceFactor float64) (mean, half float64) {
	mean, variance := stat.PopMeanVariance(values, nil)
	if variance == 0 {
		return mean, 0
	}
	n := len(values)
	return mean, statistics.Student(n, 0.05) * math.Sqrt(varianceFactor*variance/float64(n-1))
}

// correlation returns the correlation of neighbouring values, at least 0, corrected for the bias of
// few values (Kendall, Note on bias in the estimation of autocorrelation, 1954).
func correlation(values []float64) float64 {
	n := float64(len(values))
	mean, variance := stat.PopMeanVariance(values, nil)
	if variance == 0 {
		return 0
	}
	products := 0.0
	for i, v := range values[1:] {
		products += (v - mean) * (values[i] - mean)
	}
	r := products / (n * variance)
	return min(max(r+(1+4*r)/n, 0), 0.95)
}

// spread returns the figure of the mean of independent values, on a logarithmic scale unless some
// are 0.
func spread(values []float64, varianceFactor float64) Figure {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return unknown
	}
	mean, half := halfWidth(values, varianceFactor)
	if mean == 0 || slices.Min(values) <= 0 {
		return Figure{max(0, mean-half), mean, mean + half}
	}
	factor := math.Exp(half / mean)
	return Figure{mean / factor, mean, mean * factor}
}
