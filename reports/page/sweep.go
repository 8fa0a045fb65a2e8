package page

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/reports/charts"
)

// A Sweep is the part of a group that one chart can show: its cells differ in strategy and on one
// axis.
type Sweep struct {
	Across charts.XAxis
	At     []float64 // sorted places on the axis, or a single one if nothing varies
	// facts that only this sweep shares: "limit 4", or ""
	Fixed string
	Cells []*Cell
}

// An Axis is a quantity that varies along a sweep.
type Axis struct {
	Word, Unit string
	Of         func(*Cell) float64 // NaN if missing from the name
}

// Axes are indexed by charts.Across.
var Axes = [...]Axis{
	charts.Load:  {"load", "", func(c *Cell) float64 { return c.Load }},
	charts.Rate:  {"rate", "/s", func(c *Cell) float64 { return c.Rate }},
	charts.Limit: {"limit", "", func(c *Cell) float64 { return c.Limit }},
}

// Place formats a value: "load 0.8".
func (a Axis) Place(x float64) string { return a.Word + " " + charts.Count(x) + a.Unit }

func limitsOf(cells []*Cell) []float64 { return distinct(cells, Axes[charts.Limit].Of) }

// Sweeps divides a group by limit, with load or rate along the axis. If neither varies, the axis is
// the limit.
func (g *Group) Sweeps() (out []Sweep) {
	limits := limitsOf(g.Cells)
	for _, across := range []charts.XAxis{charts.Load, charts.Rate} {
		of := Axes[across].Of
		at := distinct(g.Cells, of)
		if len(at) == 0 {
			continue
		}
		if len(at) == 1 && len(limits) > 1 {
			out = append(out, newSweep(g.Cells, charts.Limit, func(c *Cell) float64 {
				if of(c) != at[0] {
					return math.NaN()
				}
				return c.Limit
			}, ""))
			continue
		}
		for _, limit := range append(limits, math.NaN()) {
			fixed := ""
			if len(limits) > 1 && !math.IsNaN(limit) {
				fixed = "limit " + charts.Count(limit)
			}
			s := newSweep(g.Cells, across, func(c *Cell) float64 {
				if c.Limit != limit && !(math.IsNaN(limit) && math.IsNaN(c.Limit)) {
					return math.NaN()
				}
				return of(c)
			}, fixed)
			if len(s.Cells) > 0 {
				out = append(out, s)
			}
		}
	}
	closed := only(g.Cells, (*Cell).Closed)
	switch {
	case len(closed) == 0:
	case len(limitsOf(closed)) > 0:
		out = append(out, newSweep(closed, charts.Limit, Axes[charts.Limit].Of, ""))
	default: // nothing varies
		out = append(out, Sweep{Across: charts.Limit, At: []float64{0}, Cells: closed})
	}
	return out
}

func newSweep(
	cells []*Cell, across charts.XAxis, of func(*Cell) float64, fixed string,
) Sweep {
	s := Sweep{Across: across, Fixed: fixed, At: distinct(cells, of)}
	s.Cells = only(cells, func(c *Cell) bool { return !math.IsNaN(of(c)) })
	return s
}

func distinct(cells []*Cell, of func(*Cell) float64) (values []float64) {
	for _, c := range cells {
		if v := of(c); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// X returns the place of a cell on the axis.
func (s *Sweep) X(c *Cell) float64 {
	if v := Axes[s.Across].Of(c); !math.IsNaN(v) {
		return v
	}
	return s.At[0]
}

// Place formats a place: "load 0.8".
func (s *Sweep) Place(x float64) string {
	if s.Across == charts.Limit && x == 0 {
		return ""
	}
	return Axes[s.Across].Place(x)
}

// CellsAt returns a place's cells, one per strategy.
func (s *Sweep) CellsAt(x float64) []*Cell {
	return only(s.Cells, func(c *Cell) bool { return s.X(c) == x })
}

// SpreadOut picks at most n evenly spaced places, with the first and the last.
func (s *Sweep) SpreadOut(n int) []float64 {
	if len(s.At) <= n {
		return s.At
	}
	var picked []float64
	for i := range n {
		picked = append(picked, s.At[int(math.Round(float64(i)*float64(len(s.At)-1)/float64(n-1)))])
	}
	return picked
}
