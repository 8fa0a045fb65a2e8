package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type lines struct {
	series []Series
	tip    func(s Series, i int) string // tooltip of point i
	marked func(s Series, i int) bool   // whether point i has a marker. nil means all
	dots   bool                         // theory is known only at the points
}

const (
	lineWidth   vg.Length = 1.7
	theoryWidth vg.Length = 7
	theoryAlpha           = 0.32
	stripe      vg.Length = 7   // length of one series' stripe of a shared line
	closeBy     vg.Length = 0.8 // points closer than this look like one
)

func (l *lines) Plot(c draw.Canvas, p *plot.Plot) {
	measured, theory := l.drawable(&c, p)
	l.drawTheory(&c, theory)
	measured = distinguishable(measured)
	drawLines(&c, measured)
	_, y := p.Transforms(&c)
	for _, d := range measured {
		drawIntervals(&c, d, y)
	}
	l.drawMarkers(&c, measured)
}

func (l *lines) drawable(c *draw.Canvas, p *plot.Plot) (measured, theory []drawn) {
	x, y := p.Transforms(c)
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
	return measured, theory
}

// More stripes would not be distinguishable.
const maxStripes = 3

func distinguishable(all []drawn) (kept []drawn) {
	for _, d := range all {
		same := 0
		for _, k := range kept {
			if equal(k.Series, d.Series) {
				same++
			}
		}
		if same < maxStripes {
			kept = append(kept, d)
		}
	}
	return kept
}

// Growing points are at the end of the axis.
func drawnY(p *plot.Plot, s Series, i int) float64 {
	if s.grows(i) {
		return clampToAxis(p.Y, s.Y[i])
	}
	return s.Y[i]
}

func clampToAxis(a plot.Axis, v float64) float64 { return max(a.Min, min(v, a.Max)) }

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

type drawn struct {
	Series
	look seriesStyle
	pts  []vg.Point
}
