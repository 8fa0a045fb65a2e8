package advise

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/objectives"
)

// A Figure is the value of a metric with its 95 % interval.
type Figure struct{ Low, Mid, High float64 }

// unknown is the figure of a metric that nobody can tell.
var unknown = Figure{math.NaN(), math.NaN(), math.NaN()}

// Told reports whether there is a value.
func (f Figure) Told() bool { return !math.IsNaN(f.Mid) }

// A value is a run of which one metric is known.
type value struct {
	unit string
	v    float64
}

// Metric implements objectives.Run.
func (v value) Metric(unit string) (float64, bool) {
	return v.v, unit == v.unit && !math.IsNaN(v.v)
}

// Invalid implements objectives.Run.
func (v value) Invalid() bool { return false }

// judge is met where both ends are, missed where neither is.
func (f Figure) judge(o objectives.Objective) objectives.Verdict {
	low, high := o.Of(value{o.Unit, f.Low}), o.Of(value{o.Unit, f.High})
	if low != high {
		return objectives.Undecided
	}
	return low
}

// A reading is what a strategy with its settings comes to.
type reading interface {
	figure(unit string) Figure
}

// judge holds a reading to objectives: missed when one is, met when all are.
func judge(r reading, list objectives.List) objectives.Verdict {
	all := objectives.Met
	for _, o := range list {
		switch r.figure(o.Unit).judge(o) {
		case objectives.Missed:
			return objectives.Missed
		case objectives.Undecided:
			all = objectives.Undecided
		}
	}
	return all
}

// A typical reading is one without its interval.
type typical struct{ reading }

func (t typical) figure(unit string) Figure {
	mid := t.reading.figure(unit).Mid
	return Figure{mid, mid, mid}
}

// students are the 97.5 % points of Student's t by degrees of freedom.
var students = map[int]float64{1: 12.71, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447,
	7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145,
	15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101, 19: 2.093}

// halfWidth is that of the interval of the mean of independent values, with the mean.
func halfWidth(values []float64, ahead float64) (mean, half float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if squares == 0 {
		return mean, 0
	}
	return mean, students[len(values)-1] * math.Sqrt(ahead*squares/(n-1)/n)
}

// spread is the figure of the mean of independent values: on a logarithmic scale, since all metrics
// are above 0, unless some are 0.
func spread(values []float64, ahead float64) Figure {
	if len(values) == 0 || slices.ContainsFunc(values, math.IsNaN) {
		return unknown
	}
	mean, half := halfWidth(values, ahead)
	if mean == 0 || slices.Min(values) <= 0 {
		return Figure{max(0, mean-half), mean, mean + half}
	}
	factor := math.Exp(half / mean)
	return Figure{mean / factor, mean, mean * factor}
}
