package results

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
)

// EnoughSeeds is the number of repetitions from which an interval uses their variation.
const EnoughSeeds = 5

// Interval returns the estimate of a time, such as metric.P99Response, with its 95 % interval: over
// EnoughSeeds or more repetitions, otherwise from their own intervals. ok is false if one is too
// short.
func (c Cell) Interval(unit string) (e Estimate, ok bool) {
	if e, ok = c.meanInterval(unit); !ok {
		return Estimate{}, false
	}
	return e.withMid(statistics.Median(c.Values(unit))), true
}

func (e Estimate) withMid(value float64) Estimate {
	return Estimate{value, min(e.Lo, value), max(e.Hi, value)}
}

func (c Cell) meanInterval(unit string) (e Estimate, ok bool) {
	var values, below, above []float64
	seen := map[string]bool{}
	for _, r := range c {
		if r.Seed != "" && seen[r.Seed] {
			continue // a repetition of the same work
		}
		seen[r.Seed] = true
		v, known := r.Value(unit)
		if !known {
			return Estimate{}, false
		}
		values = append(values, v)
		lo, low := r.Value(metric.Low(unit))
		hi, high := r.Value(metric.High(unit))
		if _, told := r.Value(metric.ESS(unit)); told && !low {
			lo, hi, low, high = v, v, true, true // so many tasks have this value that it is exact
		}
		if low && high {
			below, above = append(below, v-lo), append(above, hi-v)
		}
	}
	n := float64(len(values))
	mean := stat.Mean(values, nil)
	if len(values) == 0 {
		return Estimate{}, false
	}
	if len(values) >= EnoughSeeds {
		return c.overSeeds(unit, values, mean), !slices.ContainsFunc(c, func(r *Run) bool {
			return finds(r.Doubts, rundir.CheckLength)
		})
	}
	if len(below) < len(values) {
		return Estimate{}, false
	}
	return Estimate{mean, mean - quadrature(below)/n, mean + quadrature(above)/n}, true
}

// overSeeds uses the deviation of the values (Student's t). Since few short runs may agree by
// chance, the interval of a p99 is at least as wide as theory predicts for that many tasks.
//
// It also includes the bias of a short run's p99. If the tail falls as exp(−θt), a run with 1+ε
// times the tasks beyond the p99 moves it by ln(1+ε)/θ, on average less than ε/θ by half the
// variance of ε. The bias is thus θ/2 times the variance of the p99, with θ at most ln 100 divided
// by the p99.
func (c Cell) overSeeds(unit string, values []float64, mean float64) Estimate {
	n, deviation := float64(len(values)), stat.StdDev(values, nil)
	half, short := statistics.Student(len(values), 0.05)*deviation/math.Sqrt(n), 0.0
	if needed, known := c.Estimate(metric.NeededTasks); known && unit == metric.P99Response {
		half = max(half, 0.05*mean*math.Sqrt(needed.Mid/(float64(c[0].Iters)*n)))
		short = math.Ln10 * deviation * deviation / mean
	}
	return Estimate{mean, mean - half, mean + half + short}
}

func quadrature(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return math.Sqrt(sum)
}
