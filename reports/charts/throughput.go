package charts

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Throughput draws throughput and goodput (Y) against offered load (X), in tasks per second, with
// the diagonal and the capacity, if known (not 0).
func Throughput(title string, capacity float64, panels []Panel) (*Chart, error) {
	c := &Chart{Title: title, shareY: true}
	cleaned := c.clean(panels, counting, counting)
	_, xmax, ymin, ymax := rangeOf(cleaned)
	if !counting.shows(capacity) {
		capacity = 0
	}
	_, right := linearRange(0, xmax*1.02)
	bottom, top := linearRange(ymin, max(ymax, min(xmax, ymax*1.1), min(capacity, 2*ymax)))
	c.legend = []entry{{names: []string{"offered"}, sample: &diagonalStyle}}
	if capacity > 0 && capacity <= top {
		c.legend = append(c.legend, entry{names: []string{"capacity"}, sample: &capacityStyle,
			y: capacity, last: true})
	}
	return c.fill(cleaned, func(_ int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "offered (tasks/s)", "completed (tasks/s)")
		p.Add(references{capacity},
			&lines{series: panel.Series, tip: pointTip(func(x float64) string {
				return "offered " + Count(x) + "/s"
			},
				func(y float64) string { return Count(y) + "/s" })})
		p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{Count, 5}, linearTicks{Count, 5}
		p.X.Min, p.X.Max = 0, right
		p.Y.Min, p.Y.Max = bottom, top
		return p
	})
}

var (
	diagonalStyle = draw.LineStyle{Color: rule, Width: 1.2, Dashes: []vg.Length{1.5, 3}}
	capacityStyle = draw.LineStyle{Color: muted, Width: 1.2, Dashes: []vg.Length{9, 4}}
)

type references struct{ capacity float64 }

func (r references) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	from := math.Max(p.X.Min, p.Y.Min)
	if to := math.Min(p.X.Max, p.Y.Max); to > from {
		c.StrokeLine2(diagonalStyle, x(from), y(from), x(to), y(to))
	}
	if r.capacity > 0 && r.capacity <= p.Y.Max {
		c.StrokeLine2(capacityStyle, c.Min.X, y(r.capacity), c.Max.X, y(r.capacity))
	}
}
