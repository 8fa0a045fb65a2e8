package charts

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// lines draws the series of a panel together: only who knows all of them can show which coincide.
type lines struct {
	series []Series
	tip    func(s Series, i int) string // what a point says when pointed at
	marked func(s Series, i int) bool   // points with a marker; nil: all
	dots   bool                         // theory is known at these points, not between them
}

const (
	lineWidth   vg.Length = 1.7
	theoryWidth vg.Length = 7
	theoryAlpha           = 0.32
	stripe      vg.Length = 7   // of a line shared by several series, for each of them
	closeBy     vg.Length = 0.8 // points nearer than this look like one
)

// Plot implements plot.Plotter.
func (l *lines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var measured, theory []drawn
	for _, s := range l.series {
		d := drawn{Series: s, look: lookOf(s.Style), pts: make([]vg.Point, len(s.X))}
		for i := range s.X {
			d.pts[i] = vg.Point{X: x(s.X[i]), Y: y(drawnY(p, s, i))}
		}
		if s.Theory {
			theory = append(theory, d)
		} else {
			measured = append(measured, d)
		}
	}
	l.drawTheory(&c, theory)
	drawLines(&c, measured)
	for _, d := range measured {
		drawIntervals(&c, d, y)
	}
	l.drawMarkers(&c, measured)
}

// drawnY is where a point is drawn: at its value, or, when that grows beyond the axis, at the end of it.
func drawnY(p *plot.Plot, s Series, i int) float64 {
	if s.grows(i) {
		return within(p.Y, s.Y[i])
	}
	return s.Y[i]
}

func within(a plot.Axis, v float64) float64 { return max(a.Min, min(v, a.Max)) }

// DataRange implements plot.DataRanger: intervals included, growing points not.
func (l *lines) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range l.series {
		for i := range s.X {
			xmin, xmax = min(xmin, s.X[i]), max(xmax, s.X[i])
			if s.grows(i) {
				continue
			}
			ymin, ymax = min(ymin, s.Y[i]), max(ymax, s.Y[i])
			if s.Lo != nil && !math.IsNaN(s.Lo[i]) {
				ymin, ymax = min(ymin, s.Lo[i]), max(ymax, s.Hi[i])
			}
		}
	}
	return xmin, xmax, ymin, ymax
}

// GlyphBoxes implements plot.GlyphBoxer: markers at the edge need room.
func (l *lines) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	const r = 2 * markerRadius
	for _, s := range l.series {
		for i := range s.X {
			boxes = append(boxes, plot.GlyphBox{
				X: p.X.Norm(s.X[i]), Y: p.Y.Norm(drawnY(p, s, i)),
				Rectangle: vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}},
			})
		}
	}
	return boxes
}

// drawn is a series on its way to the canvas.
type drawn struct {
	Series
	look look
	pts  []vg.Point
}

// A group marks what belongs to a series on canvases that keep such a thing, which the SVG canvas does.
type grouper interface {
	begin(styles []int, class, title string)
	end()
}

func group(c *draw.Canvas, styles []int, class, title string, draw func()) {
	g, ok := c.Canvas.(grouper)
	if ok {
		g.begin(styles, class, title)
	}
	draw()
	if ok {
		g.end()
	}
}

// drawTheory draws each distinct line of theory once. The theory of several strategies is often the same, and then
// belongs to none of them.
func (l *lines) drawTheory(c *draw.Canvas, theory []drawn) {
	for len(theory) > 0 {
		first := theory[0]
		styles := []int{first.Style}
		rest := theory[:0:0]
		for _, d := range theory[1:] {
			if slices.Equal(d.X, first.X) && slices.Equal(d.Y, first.Y) {
				styles = append(styles, d.Style)
			} else {
				rest = append(rest, d)
			}
		}
		theory = rest
		tint := first.look.tint
		if len(styles) > 1 {
			tint = muted
		}
		group(c, styles, "pb-theory", "", func() {
			style := draw.LineStyle{Color: tint.fade(theoryAlpha), Width: theoryWidth}
			if len(first.pts) == 1 || l.dots {
				for _, pt := range first.pts {
					c.SetColor(style.Color)
					c.Fill(dot(pt, theoryWidth))
				}
				return
			}
			c.StrokeLines(style, first.pts)
		})
	}
}

func dot(at vg.Point, r vg.Length) vg.Path {
	p, _ := circle.path(at, r)
	return p
}

// drawLines draws the lines, and those that run on one another in stripes of all their colours.
func drawLines(c *draw.Canvas, all []drawn) {
	on := make(map[string][]int) // the series that run along a segment
	for i, d := range all {
		for j := 1; j < len(d.pts); j++ {
			if d.grows(j-1) && d.grows(j) {
				continue
			}
			k := segment(d.pts[j-1], d.pts[j])
			on[k] = append(on[k], i)
		}
	}
	for i, d := range all {
		group(c, []int{d.Style}, "", "", func() {
			for from := 0; from+1 < len(d.pts); {
				if d.grows(from) && d.grows(from+1) { // a line along the end of the axis would read as a value
					from++
					continue
				}
				with := on[segment(d.pts[from], d.pts[from+1])]
				to := from + 1
				for to+1 < len(d.pts) && !(d.grows(to) && d.grows(to+1)) && slices.Equal(on[segment(d.pts[to], d.pts[to+1])], with) {
					to++
				}
				c.StrokeLines(striped(d, i, slices.Compact(slices.Clone(with)), d.pts[from:to+1]), d.pts[from:to+1])
				from = to
			}
		})
	}
}

// striped returns the style of a stretch of line that the series all share: series i takes every len(all)-th stripe of it.
func striped(d drawn, i int, all []int, pts []vg.Point) draw.LineStyle {
	style := draw.LineStyle{Color: d.look.tint, Width: lineWidth, Dashes: d.look.dash}
	n := len(all)
	if n < 2 {
		return style
	}
	var length vg.Length
	for j := 1; j < len(pts); j++ {
		length += vg.Length(math.Hypot(float64(pts[j].X-pts[j-1].X), float64(pts[j].Y-pts[j-1].Y)))
	}
	size := max(min(stripe, length/vg.Length(2*n)), 1)
	style.Dashes = []vg.Length{size, size * vg.Length(n-1)}
	style.DashOffs = size * vg.Length((n-slices.Index(all, i))%n)
	return style
}

// segment names a stretch of line so that two that look the same have the same name.
func segment(a, b vg.Point) string {
	var key []byte
	for _, v := range []vg.Length{a.X, a.Y, b.X, b.Y} {
		key = binary.AppendVarint(key, int64(math.Round(float64(v/closeBy))))
	}
	return string(key)
}

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
			if hi-lo < 2*markerRadius { // hidden by the marker
				continue
			}
			const cap = 2.5
			c.StrokeLines(style, []vg.Point{{X: pt.X, Y: lo}, {X: pt.X, Y: hi}},
				[]vg.Point{{X: pt.X - cap, Y: lo}, {X: pt.X + cap, Y: lo}}, []vg.Point{{X: pt.X - cap, Y: hi}, {X: pt.X + cap, Y: hi}})
		}
	})
}

// drawMarkers draws the points, the largest first where several are nested in one place.
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
			inside := len(with) - 1 - slices.Index(with, i) // how many are nested in this one
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
				drawMarker(c, d.look.marker, d.look.tint, pt, radius, width)
			})
		}
	}
}

const arrowLength vg.Length = 14

// drawArrow points up from a growing point.
func drawArrow(c *draw.Canvas, t Tint, from vg.Point) {
	const head = 3
	tip := vg.Point{X: from.X, Y: from.Y + arrowLength}
	c.StrokeLines(draw.LineStyle{Color: t, Width: 1.25}, []vg.Point{from, tip},
		[]vg.Point{{X: tip.X - head, Y: tip.Y - head}, tip, {X: tip.X + head, Y: tip.Y - head}})
}

// gridlines draws a line across the panel at each tick that has a label.
type gridlines struct{}

// Plot implements plot.Plotter.
func (gridlines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: grid, Width: 1}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if at := x(t.Value); c.ContainsX(at) {
			c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); c.ContainsY(at) {
			c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
		}
	}
}

// pointTip words a point: its place on a line of its own, then whose it is, its value, and its interval.
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
