package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type gridlines struct{}

func (gridlines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	var all vg.Path
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if at := x(t.Value); c.ContainsX(at) {
			all.Move(vg.Point{X: at, Y: c.Min.Y})
			all.Line(vg.Point{X: at, Y: c.Max.Y})
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if at := y(t.Value); c.ContainsY(at) {
			all.Move(vg.Point{X: c.Min.X, Y: at})
			all.Line(vg.Point{X: c.Max.X, Y: at})
		}
	}
	c.SetLineStyle(draw.LineStyle{Color: grid, Width: 1})
	c.Stroke(all)
}
