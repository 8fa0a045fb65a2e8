package charts

import (
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Swatch returns an svg element with a sample of a style's line and marker, hidden from screen
// readers.
func Swatch(style int) string {
	canvas := newInline(swatchWidth, swatchHeight)
	c := draw.NewCanvas(canvas, swatchWidth, swatchHeight)
	drawSwatch(&c, []int{style}, vg.Point{X: 1, Y: swatchHeight / 2},
		vg.Point{X: swatchWidth - 1, Y: swatchHeight / 2})
	return swatchElement(canvas)
}

const swatchHeight vg.Length = 14

func swatchElement(canvas *svgCanvas) string {
	return canvas.element(`class="pb-swatch" viewBox="0 0 30 14" width="30" height="14" ` +
		`aria-hidden="true" ` + base)
}

func (s *svgCanvas) element(attributes string) string {
	return `<svg ` + attributes + `>` + strings.ReplaceAll(s.content().String(), "\n", "") +
		`</svg>`
}

// Spark returns an svg element with only the lines of the chart's first panel, or "" without lines.
func (c *Chart) Spark() string {
	if len(c.first) == 0 {
		return ""
	}
	const w, h = 96, 28
	canvas := newInline(w, h)
	to := draw.Crop(draw.NewCanvas(canvas, w, h), 2, -2, 2, -2)
	measured, _ := (&lines{series: c.first}).drawable(&to, c.Panels[0])
	drawLines(&to, distinguishable(measured))
	return canvas.element(`class="spark" viewBox="0 0 96 28" aria-hidden="true" ` + base +
		` stroke-linejoin="round"`)
}

// Bar returns an svg element with a bar in the colour of a style. share is its filled part.
func Bar(style int, share float64) string {
	const w, h = 100, 6
	canvas := newInline(w, h)
	c := draw.NewCanvas(canvas, w, h)
	c.FillPolygon(grid, box(0, 0, w, h))
	c.FillPolygon(lookOf(style).tint, box(0, 0, vg.Length(w*min(max(share, 0), 1)), h))
	return canvas.element(
		`class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"`)
}
