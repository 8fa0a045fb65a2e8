package shell

import (
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A Case is a strategy at a place of a sweep, with its repetitions.
type Case struct {
	Strategy string
	X        float64 // place on the axis of the sweep
	Limit    float64 // most tasks at once. NaN: unlimited
	results.Cell
}

// A Sweep contains the cases of one chart, which differ in strategy and on one axis.
type Sweep struct {
	Of      string                 // difference between the cases of a place: "strategy", "target"
	Program string                 // start of commands. "": "poolbench"
	Place   func(x float64) string // formats a place: "load 0.8", or "" if nothing varies
	Style   func(name string) int  // colour of a strategy in charts
	Cases   []Case
	Bound   float64 // objective of its p99 response, in seconds. 0: none
}

func (s Sweep) at(x float64) []Case {
	return slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool { return c.X != x })
}

func (s Sweep) places() (xs []float64) {
	for _, c := range s.Cases {
		xs = append(xs, c.X)
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

func (s Sweep) prefix(x float64) string {
	if p := s.Place(x); p != "" {
		return "At " + p + " "
	}
	return ""
}

// Requested overload and the gap of a resumed soak do not prevent a case from winning.
func mayWin(c Case) bool {
	d := c.Doubts()
	return d == nil || d.OfGap() || c.Overloaded()
}

// unbounded counts second attempts, too.
func (s Sweep) unbounded() (names []string) {
	for _, c := range s.Cases {
		e, ok := c.Estimate(metric.PeakInFlight)
		if ok && e.Hi > c.Limit && !slices.Contains(names, c.Strategy) {
			names = append(names, c.Strategy)
		}
	}
	return names
}

func (s Sweep) strategies() []string {
	return text.Distinct(text.Texts(s.Cases, func(c Case) string { return c.Strategy }))
}
