package charts

import (
	"gonum.org/v1/plot/vg/draw"
)

// group marks what belongs to a series, on the canvas that keeps such a thing: that of SVG.
func group(c *draw.Canvas, styles []int, class, title string, inside func()) {
	below := c.Canvas
	for { // cropping wraps canvases in canvases
		wrapped, ok := below.(draw.Canvas)
		if !ok {
			break
		}
		below = wrapped.Canvas
	}
	g, ok := below.(*svgCanvas)
	if ok {
		g.begin(styles, class, title)
	}
	inside()
	if ok {
		g.end()
	}
}
