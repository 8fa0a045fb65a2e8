package charts

import (
	"gonum.org/v1/plot/vg/draw"
)

// Only an SVG canvas marks the elements.
func group(c *draw.Canvas, styles []int, class, title string, inside func()) {
	below := c.Canvas
	for { // a cropped canvas wraps another canvas
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
