package page

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/reports/charts"
)

// A reportSweep is a part of a group that one chart can show: cells that differ in strategy and in
// one other thing.
type reportSweep struct {
	across charts.Across
	at     []float64 // the values of what varies, sorted; one where nothing does
	// what else the cells have in common within the group: "limit 4"; "" where the whole group has
	// it
	fixed string
	cells []*reportCell
}

// An axis is what may vary along a sweep.
type axis struct {
	word, unit string
	of         func(*reportCell) float64 // NaN where the name has none
}

var axes = [...]axis{
	charts.Load:  {"load", "", func(c *reportCell) float64 { return c.load }},
	charts.Rate:  {"rate", "/s", func(c *reportCell) float64 { return c.rate }},
	charts.Limit: {"limit", "", func(c *reportCell) float64 { return c.limit }},
}

// place words a value: "load 0.8".
func (a axis) place(x float64) string { return a.word + " " + charts.Count(x) + a.unit }

// limitsOf are the distinct limits of the cells.
func limitsOf(cells []*reportCell) []float64 { return distinct(cells, axes[charts.Limit].of) }

// sweeps divides a group: by limit, with load or rate along the axis; or, where neither varies,
// along the limits.
func (g *reportGroup) sweeps() (out []reportSweep) {
	limits := limitsOf(g.cells)
	for _, across := range []charts.Across{charts.Load, charts.Rate} {
		of := axes[across].of
		at := distinct(g.cells, of)
		if len(at) == 0 {
			continue
		}
		if len(at) == 1 && len(limits) > 1 {
			out = append(out, newSweep(g.cells, charts.Limit, func(c *reportCell) float64 {
				if of(c) != at[0] {
					return math.NaN()
				}
				return c.limit
			}, ""))
			continue
		}
		for _, limit := range append(limits, math.NaN()) {
			fixed := ""
			if len(limits) > 1 {
				fixed = "limit " + charts.Count(limit)
			}
			s := newSweep(g.cells, across, func(c *reportCell) float64 {
				if c.limit != limit && !(math.IsNaN(limit) && math.IsNaN(c.limit)) {
					return math.NaN()
				}
				return of(c)
			}, fixed)
			if math.IsNaN(limit) {
				s.fixed = ""
			}
			if len(s.cells) > 0 {
				out = append(out, s)
			}
		}
	}
	closed := only(g.cells, (*reportCell).closed)
	switch {
	case len(closed) == 0:
	case len(limitsOf(closed)) > 0:
		out = append(out, newSweep(closed, charts.Limit, axes[charts.Limit].of, ""))
	default: // nothing to vary
		out = append(out, reportSweep{across: charts.Limit, at: []float64{0}, cells: closed})
	}
	return out
}

// newSweep takes the cells for which of gives a number.
func newSweep(
	cells []*reportCell, across charts.Across, of func(*reportCell) float64, fixed string,
) reportSweep {
	s := reportSweep{across: across, fixed: fixed, at: distinct(cells, of)}
	s.cells = only(cells, func(c *reportCell) bool { return !math.IsNaN(of(c)) })
	return s
}

func distinct(cells []*reportCell, of func(*reportCell) float64) (values []float64) {
	for _, c := range cells {
		if v := of(c); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// x is where a cell lies on the axis of the sweep.
func (s *reportSweep) x(c *reportCell) float64 {
	if v := axes[s.across].of(c); !math.IsNaN(v) {
		return v
	}
	return s.at[0]
}

// place words a value of what varies: "load 0.8".
func (s *reportSweep) place(x float64) string {
	if s.across == charts.Limit && x == 0 {
		return ""
	}
	return axes[s.across].place(x)
}

// cellsAt are the cells at one place, one a strategy.
func (s *reportSweep) cellsAt(x float64) []*reportCell {
	return only(s.cells, func(c *reportCell) bool { return s.x(c) == x })
}

// spreadOut picks at most n of the places, evenly, the first and the last among them.
func (s *reportSweep) spreadOut(n int) []float64 {
	if len(s.at) <= n {
		return s.at
	}
	var picked []float64
	for i := range n {
		picked = append(picked, s.at[int(math.Round(float64(i)*float64(len(s.at)-1)/float64(n-1)))])
	}
	return picked
}
