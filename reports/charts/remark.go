package charts

import (
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Annotation is a sign in a plane with words beside it.
type Annotation struct {
	Sign Sign
	X, Y float64
	To   float64 // value at the other end, if Sign is Gap
	Text []string
}

// A Sign is the symbol of a remark.
type Sign int

const (
	Ring Sign = iota // a circle where lines start or meet
	Gap              // a double-headed arrow from Y to To
	Foot             // a dashed line down to the x axis, with the words there
)

type remarks struct {
	all    []Annotation
	series []Series // the words avoid them
	x, y   axisKind
}

const ringRadius vg.Length = 8

func (r remarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	inside := func(m Annotation, v float64) bool {
		return r.x.shows(m.X) && r.y.shows(v) && c.ContainsX(x(m.X)) && c.ContainsY(y(v))
	}
	busy := r.traces(c, p)
	var shown []Annotation
	var places []vg.Point // candidate positions of the words
	for _, m := range r.all {
		if !inside(m, m.Y) || m.Sign == Gap && !inside(m, m.To) {
			continue
		}
		at := vg.Point{X: x(m.X), Y: y(m.Y)}
		switch m.Sign {
		case Ring:
			c.SetLineStyle(draw.LineStyle{Color: ink, Width: 1.2})
			c.Stroke(dot(at, ringRadius))
		case Gap:
			bottom, top := min(at.Y, y(m.To)), max(at.Y, y(m.To))
			drawGap(&c, at.X, bottom, top)
			busy = append(busy, upright(at.X, bottom, top)...)
			at.Y = (bottom + top) / 2
		case Foot:
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.1, Dashes: []vg.Length{3, 3}}, at.X,
				at.Y, at.X, c.Min.Y)
			busy = append(busy, upright(at.X, c.Min.Y, at.Y)...)
			at.Y = c.Min.Y + 2*lineHeight
		}
		shown, places = append(shown, m), append(places, at)
	}
	for i, m := range shown {
		busy = append(busy, m.drawWords(&c, places[i], busy)...)
	}
}

func upright(x, bottom, top vg.Length) (points []vg.Point) {
	for y := bottom; y <= top; y += 6 {
		points = append(points, vg.Point{X: x, Y: y})
	}
	return points
}

// traces returns points that are dense enough to detect text over a line.
func (r remarks) traces(c draw.Canvas, p *plot.Plot) (points []vg.Point) {
	x, y := p.Transforms(&c)
	for _, s := range r.series {
		for i := range s.X {
			to := vg.Point{X: x(s.X[i]), Y: y(drawnY(p, s, i))}
			if i > 0 {
				from := vg.Point{X: x(s.X[i-1]), Y: y(drawnY(p, s, i-1))}
				const steps = 24
				for k := range steps {
					part := vg.Length(k) / steps
					points = append(points,
						vg.Point{X: from.X + (to.X-from.X)*part, Y: from.Y + (to.Y-from.Y)*part})
				}
			}
			points = append(points, to, to, to) // a marker counts more than a line
		}
	}
	return points
}

// drawWords writes where it covers the fewest points, and returns points of the covered area.
func (m Annotation) drawWords(c *draw.Canvas, at vg.Point, busy []vg.Point) (taken []vg.Point) {
	if len(m.Text) == 0 {
		return nil
	}
	style := textStyle(textSize, xfont.WeightNormal, ink)
	var w vg.Length
	for _, line := range m.Text {
		w = max(w, style.Width(line))
	}
	h := lineHeight * vg.Length(len(m.Text))
	best, cost := vg.Rectangle{}, math.Inf(1)
	for _, away := range []vg.Length{0, lineHeight, 2 * lineHeight, 4 * lineHeight} {
		for i, corner := range []vg.Point{
			{X: at.X + ringRadius + 3, Y: at.Y - h/2 - away},
			{X: at.X - ringRadius - 3 - w, Y: at.Y - h/2 - away},
			{X: at.X + ringRadius + 3, Y: at.Y - h/2 + away},
			{X: at.X - ringRadius - 3 - w, Y: at.Y - h/2 + away},
			{X: at.X - w/2, Y: at.Y - ringRadius - 2 - h - away},
			{X: at.X - w/2, Y: at.Y + ringRadius + 2 + away},
		} {
			if m.Sign != Ring && i >= 4 { // not on its own line
				break
			}
			corner.X = max(c.Min.X+2, min(corner.X, c.Max.X-w-2))
			corner.Y = max(c.Min.Y+2, min(corner.Y, c.Max.Y-h-2))
			box := vg.Rectangle{Min: corner, Max: vg.Point{X: corner.X + w, Y: corner.Y + h}}
			n := float64(away)/20 + float64(i)/100
			for _, pt := range busy {
				if pt.X > box.Min.X-3 && pt.X < box.Max.X+3 && pt.Y > box.Min.Y-2 &&
					pt.Y < box.Max.Y+2 {
					n++
				}
			}
			if n < cost {
				best, cost = box, n
			}
		}
	}
	c.FillPolygon(paper.fade(0.8), box(best.Min.X-2, best.Min.Y-1, best.Max.X+2, best.Max.Y+1))
	for i, line := range m.Text {
		c.FillText(style, vg.Point{X: best.Min.X, Y: best.Max.Y - lineHeight*vg.Length(i) + 1},
			line)
	}
	for dx := best.Min.X; dx <= best.Max.X; dx += 6 {
		for dy := best.Min.Y; dy <= best.Max.Y; dy += 5 {
			taken = append(taken, vg.Point{X: dx, Y: dy}, vg.Point{X: dx, Y: dy})
		}
	}
	return taken
}

func drawGap(c *draw.Canvas, x, bottom, top vg.Length) {
	const head = 4
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 1.4},
		[]vg.Point{{X: x, Y: bottom}, {X: x, Y: top}},
		[]vg.Point{{X: x - head, Y: bottom + head}, {X: x, Y: bottom},
			{X: x + head, Y: bottom + head}},
		[]vg.Point{{X: x - head, Y: top - head}, {X: x, Y: top}, {X: x + head, Y: top - head}})
}
