package shell

import (
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A Case is a scenario of a sweep: a strategy at a place, with its repetitions.
type Case struct {
	Strategy string
	X        float64 // the place on the axis of the sweep
	Limit    float64 // most tasks at once; NaN: none
	results.Cell
}

// A Sweep is what one chart can show: cases that differ in strategy and in one other thing.
type Sweep struct {
	Of    string                 // what the cases of a place differ in: "strategy", "target"
	Place func(x float64) string // words a place: "load 0.8"; "" where nothing varies
	Style func(name string) int  // the colour that charts give a strategy
	Cases []Case
	Bound float64 // the objective of its p99 response, in seconds; 0: none
}

func (s Sweep) at(x float64) []Case {
	return slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool { return c.X != x })
}

// places are the places of the sweep, in ascending order.
func (s Sweep) places() (xs []float64) {
	for _, c := range s.Cases {
		xs = append(xs, c.X)
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// prefix begins a sentence about a place: "At load 0.8 ".
func (s Sweep) prefix(x float64) string {
	if p := s.Place(x); p != "" {
		return "At " + p + " "
	}
	return ""
}

// fit reports whether a case may win: nothing is said against it but overload that was asked for,
// or the gap of a soak that was cut off and went on.
func fit(c Case) bool {
	d := c.Doubts()
	return d == nil || d.OfGap() || c.Overloaded()
}

// unbounded are the strategies that ran more at once than the limit of the others, second attempts
// included: they are compared with none.
func (s Sweep) unbounded() (names []string) {
	for _, c := range s.Cases {
		e, ok := c.Estimate(metric.PeakInFlight)
		if ok && e.Hi > c.Limit && !slices.Contains(names, c.Strategy) {
			names = append(names, c.Strategy)
		}
	}
	return names
}

// strategies are the names in the order of the cases.
func (s Sweep) strategies() []string {
	return text.Distinct(text.Texts(s.Cases, func(c Case) string { return c.Strategy }))
}
