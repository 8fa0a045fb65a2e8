package charts

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A LegendEntry is an entry of a legend: a name, and a sample of its line as an svg element.
type LegendEntry struct{ Sample, Name string }

// Key returns the legend for a page that shows it below the picture.
func (c *Chart) Key() (out []LegendEntry) {
	for _, l := range labels(c.legend, widestName) {
		canvas := newInline(swatchWidth, swatchHeight)
		to := draw.NewCanvas(canvas, swatchWidth, swatchHeight)
		l.drawSample(&to, vg.Point{Y: swatchHeight / 2}, vg.Point{X: swatchWidth,
			Y: swatchHeight / 2})
		out = append(out, LegendEntry{swatchElement(canvas), strings.Join(listed(l.names), " = ")})
	}
	return out
}
