package charts

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawIntervals(c *draw.Canvas, d drawn, y func(float64) vg.Length) {
	if d.Lo == nil {
		return
	}
	style := draw.LineStyle{Color: d.look.tint.fade(0.55), Width: 1.2}
	group(c, []int{d.Style}, "pb-interval", "", func() {
		for i, pt := range d.pts {
			if math.IsNaN(d.Lo[i]) || d.grows(i) {
				continue
			}
			lo, hi := y(d.Lo[i]), y(d.Hi[i])
			if hi-lo < 2*markerRadius { // the marker hides it
				continue
			}
			const cap = 2.5
			c.StrokeLines(style, []vg.Point{{X: pt.X, Y: lo}, {X: pt.X, Y: hi}},
				[]vg.Point{{X: pt.X - cap, Y: lo}, {X: pt.X + cap, Y: lo}},
				[]vg.Point{{X: pt.X - cap, Y: hi}, {X: pt.X + cap, Y: hi}})
		}
	})
}

// Among nested markers the largest is first.
func (l *lines) drawMarkers(c *draw.Canvas, all []drawn) {
	at := make(map[string][]int)
	place := func(pt vg.Point) string { return segment(pt, pt) }
	for i, d := range all {
		for _, pt := range d.pts {
			at[place(pt)] = append(at[place(pt)], i)
		}
	}
	for i, d := range all {
		for j, pt := range d.pts {
			if l.marked != nil && !l.marked(d.Series, j) {
				continue
			}
			with := slices.Compact(slices.Clone(at[place(pt)]))
			inside := len(with) - 1 - slices.Index(with, i) // markers nested in this one
			radius, width := markerRadius, vg.Length(1.5)
			if n := vg.Length(len(with)); n > 1 {
				radius = 2.3 + vg.Length(inside)*min(1.7, 5/(n-1))
				width = 1.25
			}
			tip := ""
			if l.tip != nil {
				tip = l.tip(d.Series, j)
			}
			group(c, []int{d.Style}, "pb-pt", tip, func() {
				if d.grows(j) {
					drawArrow(c, d.look.tint, pt)
				}
				fill := paper
				if inside == 0 && d.Doubted != nil && !d.Doubted[j] {
					fill = d.look.tint
				}
				drawMarker(c, d.look.marker, d.look.tint, fill, pt, radius, width)
			})
		}
	}
}

const arrowLength vg.Length = 14

func drawArrow(c *draw.Canvas, t role, from vg.Point) {
	const head = 3
	tip := vg.Point{X: from.X, Y: from.Y + arrowLength}
	c.StrokeLines(draw.LineStyle{Color: t, Width: 1.25}, []vg.Point{from, tip},
		[]vg.Point{{X: tip.X - head, Y: tip.Y - head}, tip, {X: tip.X + head, Y: tip.Y - head}})
}

func pointTip(x func(float64) string, y func(float64) string) func(Series, int) string {
	return func(s Series, i int) string {
		tip := fmt.Sprintf("%s\n%s  %s", x(s.X[i]), s.Name, y(s.Y[i]))
		if s.Lo != nil && !math.IsNaN(s.Lo[i]) && s.Lo[i] != s.Hi[i] {
			tip += fmt.Sprintf("  (%s to %s)", y(s.Lo[i]), y(s.Hi[i]))
		}
		if s.grows(i) {
			tip += "  and growing"
		}
		return tip
	}
}
