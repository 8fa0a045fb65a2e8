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

// sweeps divides a group: by limit, with load or rate along the axis; or, where neither varies,
// along the limits.
func (g *reportGroup) sweeps() (out []reportSweep) {
	limits := distinct(g.cells, func(c *reportCell) float64 { return c.limit })
	for _, kind := range []struct {
		across charts.Across
		of     func(*reportCell) float64
	}{
		{charts.Load, func(c *reportCell) float64 { return c.load }},
		{charts.Rate, func(c *reportCell) float64 { return c.rate }},
	} {
		at := distinct(g.cells, kind.of)
		if len(at) == 0 {
			continue
		}
		if len(at) == 1 && len(limits) > 1 {
			out = append(out, newSweep(g.cells, charts.Limit, func(c *reportCell) float64 {
				if kind.of(c) != at[0] {
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
			s := newSweep(g.cells, kind.across, func(c *reportCell) float64 {
				if c.limit != limit && !(math.IsNaN(limit) && math.IsNaN(c.limit)) {
					return math.NaN()
				}
				return kind.of(c)
			}, fixed)
			if math.IsNaN(limit) {
				s.fixed = ""
			}
			if len(s.cells) > 0 {
				out = append(out, s)
			}
		}
	}
	closed := slices.DeleteFunc(slices.Clone(g.cells), func(c *reportCell) bool {
		return !math.IsNaN(c.load) || !math.IsNaN(c.rate)
	})
	switch {
	case len(closed) == 0:
	case len(distinct(closed, func(c *reportCell) float64 { return c.limit })) > 0:
		out = append(out, newSweep(closed, charts.Limit,
			func(c *reportCell) float64 { return c.limit }, ""))
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
	for _, c := range cells {
		if !math.IsNaN(of(c)) {
			s.cells = append(s.cells, c)
		}
	}
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
	v := math.NaN()
	switch s.across {
	case charts.Load:
		v = c.load
	case charts.Rate:
		v = c.rate
	case charts.Limit:
		v = c.limit
	}
	if math.IsNaN(v) {
		return s.at[0]
	}
	return v
}

// place words a value of what varies: "load 0.8".
func (s *reportSweep) place(x float64) string {
	switch s.across {
	case charts.Load:
		return "load " + charts.Count(x)
	case charts.Rate:
		return "rate " + charts.Count(x) + "/s"
	}
	if x == 0 {
		return ""
	}
	return "limit " + charts.Count(x)
}

// cellsAt are the cells at one place, one a strategy.
func (s *reportSweep) cellsAt(x float64) (cells []*reportCell) {
	for _, c := range s.cells {
		if s.x(c) == x {
			cells = append(cells, c)
		}
	}
	return cells
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
