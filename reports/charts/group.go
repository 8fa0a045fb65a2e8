package charts

import (
	"gonum.org/v1/plot/vg/draw"
)

// A group marks what belongs to a series on canvases that keep such a thing, which the SVG canvas
// does.
type grouper interface {
	begin(styles []int, class, title string)
	end()
}

func group(c *draw.Canvas, styles []int, class, title string, inside func()) {
	below := c.Canvas
	for { // cropping wraps canvases in canvases
		wrapped, ok := below.(draw.Canvas)
		if !ok {
			break
		}
		below = wrapped.Canvas
	}
	g, ok := below.(grouper)
	if ok {
		g.begin(styles, class, title)
	}
	inside()
	if ok {
		g.end()
	}
}
