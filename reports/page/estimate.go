package page

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// estimate is what the repetitions of a cell say about a metric: the median, and an interval around
// it.
type estimate struct {
	mid, lo, hi float64
	n           int
}

// enough is the number of repetitions from which the order statistics give a 95 % interval of the
// median. Below it the interval shown is from the smallest to the largest.
const enough = 6

// estimate returns the estimate of a metric, by its tidied unit, and whether any repetition has it.
func (c *reportCell) estimate(unit string) (estimate, bool) {
	var values []float64
	for _, r := range c.runs {
		if v, ok := r.Value(unit); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return estimate{}, false
	}
	sample := benchmath.NewSample(values, &benchmath.DefaultThresholds)
	summary := benchmath.AssumeNothing.Summary(sample, 0.95)
	e := estimate{summary.Center, summary.Lo, summary.Hi, len(values)}
	if len(values) < enough {
		e.lo, e.hi = slices.Min(values), slices.Max(values)
	}
	return e, true
}

// value is the middle of the estimate, NaN where no repetition has the metric.
func (c *reportCell) value(unit string) float64 {
	e, ok := c.estimate(unit)
	if !ok {
		return math.NaN()
	}
	return e.mid
}

// has reports whether any repetition of any cell has the metric.
func hasMetric(cells []*reportCell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *reportCell) bool {
		_, ok := c.estimate(unit)
		return ok
	})
}
