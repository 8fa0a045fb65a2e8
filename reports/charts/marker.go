package charts

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type marker int

const (
	circle marker = iota
	square
	triangle
	diamond
	cross
	wedge // a triangle that points down
	plus
	hexagon

	markers // number of markers
)

const markerRadius vg.Length = 3.6

// Paper as the fill makes nested markers visible.
func drawMarker(
	c *draw.Canvas, m marker, t, fill role, at vg.Point, r vg.Length, width vg.Length,
) {
	path, closed := m.path(at, r)
	if closed {
		c.SetColor(fill)
		c.Fill(path)
	}
	c.SetLineStyle(draw.LineStyle{Color: t, Width: width})
	c.Stroke(path)
}

// The radii make all shapes look equally large.
func (m marker) path(at vg.Point, r vg.Length) (p vg.Path, closed bool) {
	switch m {
	case circle:
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p, true
	case square:
		return polygon(at, r*1.22, 4, math.Pi/4), true
	case triangle:
		return polygon(at, r*1.3, 3, math.Pi/2), true
	case diamond:
		return polygon(at, r*1.3, 4, 0), true
	case wedge:
		return polygon(at, r*1.3, 3, -math.Pi/2), true
	case hexagon:
		return polygon(at, r*1.12, 6, 0), true
	case cross:
		return strokes(at, r*1.1, math.Pi/4), false
	case plus:
		return strokes(at, r*1.15, 0), false
	}
	panic("charts: no such marker")
}

func polygon(at vg.Point, r vg.Length, n int, start float64) (p vg.Path) {
	for i := range n {
		q := polar(at, r, start+2*math.Pi*float64(i)/float64(n))
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}

func strokes(at vg.Point, r vg.Length, start float64) (p vg.Path) {
	for _, a := range []float64{start, start + math.Pi/2} {
		p.Move(polar(at, r, a))
		p.Line(polar(at, -r, a))
	}
	return p
}

func polar(at vg.Point, r vg.Length, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	return vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
}
