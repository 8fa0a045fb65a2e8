package results

import "github.com/poolbench/poolbench/internal/metric"

const sureP99 = 0.1

// A Certainty is the precision of a cell's p99 response.
type Certainty struct {
	// there is a 95 % interval. Half is its longer side, relative to the p99
	Known bool
	Half  float64
	// wider than ±10 %, or without an interval
	Short bool
	// tasks that determine the p99 within ±5 %, or 0 if unknown
	Needed float64
}

// Certainty returns false without a steady state, and if too many tasks equal the p99 for an
// interval.
func (c Cell) Certainty() (of Certainty, ok bool) {
	p99 := c.Value(metric.P99Response)
	needed, stationary := c.Estimate(metric.NeededTasks)
	if !(p99 > 0) || !stationary {
		return of, false
	}
	in, told := c.Interval(metric.P99Response)
	half := max(in.Hi-in.Mid, in.Mid-in.Lo) / p99
	switch {
	case told:
		return Certainty{true, half, half > sureP99, needed.Mid}, true
	case needed.Mid > 0 && float64(c[0].Iters) >= needed.Mid:
		return of, false
	}
	return Certainty{Short: true, Needed: needed.Mid}, true
}
