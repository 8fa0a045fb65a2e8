package charts

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Swatch returns an svg element with a piece of the line and the marker of a style: for lists and
// tables beside the charts. It is hidden from screen readers, since it stands beside the name.
func Swatch(style int) string {
	const w, h = 30, 14
	canvas := newSVG(w, h)
	c := draw.NewCanvas(canvas, w, h)
	drawSwatch(&c, []int{style}, vg.Point{X: 1, Y: h / 2}, vg.Point{X: w - 1, Y: h / 2})
	body := strings.ReplaceAll(canvas.body.String(), "\n", "")
	return `<svg class="pb-swatch" viewBox="0 0 30 14" width="30" height="14" aria-hidden="true" fill="none">` + body + `</svg>`
}
