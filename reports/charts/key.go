package charts

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Named is an entry of a chart's key: a sample of the line as an svg element, and whose it is.
type Named struct{ Sample, Name string }

// Key is the legend of the chart, for a page that shows it below the picture.
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
