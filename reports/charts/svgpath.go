package charts

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// data omits redundant points, because a page may contain tens of thousands of paths.
func (s *svgCanvas) data(p vg.Path) string {
	w := pathWriter{canvas: s}
	for i, c := range p {
		switch c.Type {
		case vg.MoveComp:
			w.flush()
			w.move(w.place(c.Pos))
		case vg.LineComp:
			w.line(w.place(c.Pos))
		case vg.CurveComp:
			w.flush()
			w.out.WriteByte([...]byte{0, 'Q', 'C'}[len(c.Control)])
			for _, pt := range c.Control {
				w.out.WriteString(w.place(pt).text + " ")
			}
			end := w.place(c.Pos)
			w.out.WriteString(end.text)
			w.moveTo(end)
		case vg.ArcComp:
			if start := w.place(polar(c.Pos, c.Radius, c.Start)); i == 0 {
				w.move(start)
			} else {
				w.line(start)
			}
			w.flush()
			w.arc(c)
		case vg.CloseComp:
			w.flush()
			w.out.WriteByte('Z')
			w.moveTo(w.start)
		}
	}
	w.flush()
	return w.out.String()
}

type pathWriter struct {
	canvas *svgCanvas
	out    strings.Builder
	points []place // points of the pending lines
	there  bool    // the path is already at the first point
	start  place   // target of Close
}

type place struct {
	x, y   float64
	sx, sy string
	text   string
}

func (w *pathWriter) place(pt vg.Point) place {
	x, y := w.canvas.at(float64(pt.X), float64(pt.Y))
	p := place{x: x, y: y, sx: decimal(x), sy: decimal(y)}
	p.text = p.sx + "," + p.sy
	return p
}

func (p place) commandAfter(before place) string {
	switch {
	case p.sy == before.sy:
		return "H" + p.sx
	case p.sx == before.sx:
		return "V" + p.sy
	}
	by := func(to, from string) string { // of rounded coordinates, so errors do not accumulate
		a, _ := strconv.ParseFloat(to, 64)
		b, _ := strconv.ParseFloat(from, 64)
		return trimmed(strconv.FormatFloat(a-b, 'f', 2, 64))
	}
	x, y := by(p.sx, before.sx), by(p.sy, before.sy)
	if y[0] != '-' {
		y = "," + y
	}
	if short := "l" + x + y; len(short) < len(p.text)+1 {
		return short
	}
	return "L" + p.text
}

func (w *pathWriter) move(to place) {
	w.points, w.there, w.start = append(w.points[:0], to), false, to
}

func (w *pathWriter) moveTo(at place) {
	w.points, w.there = append(w.points[:0], at), true
}

func (w *pathWriter) line(to place) {
	n := len(w.points)
	if n > 0 && w.points[n-1].text == to.text {
		return
	}
	if n > 1 {
		a, b := w.points[n-2], w.points[n-1]
		if a.sy == b.sy && b.sy == to.sy && (b.x-a.x)*(to.x-b.x) >= 0 || a.sx == b.sx &&
			b.sx == to.sx && (b.y-a.y)*(to.y-b.y) >= 0 {
			w.points[n-1] = to
			return
		}
	}
	w.points = append(w.points, to)
}

func (w *pathWriter) flush() {
	for i, p := range w.points {
		switch {
		case i > 0:
			w.out.WriteString(p.commandAfter(w.points[i-1]))
		case !w.there:
			w.out.WriteString("M" + p.text)
		}
	}
	if n := len(w.points); n > 0 {
		w.moveTo(w.points[n-1])
	}
}

// An arc is written in two halves, since an SVG arc cannot be a full circle.
func (w *pathWriter) arc(c vg.PathComp) {
	t := w.canvas.top()
	radius := decimal(float64(c.Radius) * math.Hypot(t.a, t.b))
	sweep := "0" // counterclockwise
	if c.Angle < 0 {
		sweep = "1"
	}
	n := int(math.Ceil(math.Abs(c.Angle)/math.Pi - 1e-9))
	for i := range n {
		end := w.place(polar(c.Pos, c.Radius, c.Start+c.Angle*float64(i+1)/float64(n)))
		w.out.WriteString("A" + radius + "," + radius + " 0 0 " + sweep + " " + end.text)
		w.moveTo(end)
	}
}
