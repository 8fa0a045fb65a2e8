package charts

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Named is an entry of a legend: a name, and a sample of its line as an svg element.
type Named struct{ Sample, Name string }

// Key returns the legend for a page that shows it below the picture.
func (c *Chart) Key() (out []Named) {
	for _, l := range labels(c.legend, widestName) {
		canvas := newInline(swatchWidth, swatchHeight)
		to := draw.NewCanvas(canvas, swatchWidth, swatchHeight)
		l.drawSample(&to, vg.Point{Y: swatchHeight / 2}, vg.Point{X: swatchWidth,
			Y: swatchHeight / 2})
		out = append(out, Named{swatchElement(canvas), strings.Join(listed(l.names), " = ")})
	}
	return out
}
