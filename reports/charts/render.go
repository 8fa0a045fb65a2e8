package charts

import (
	"image"
	"image/png"
	"io"

	"gonum.org/v1/plot/vg/vgimg"
)

// SVG writes the chart as a file of its own: with title, background, and a style for readers who
// prefer the dark.
func (c *Chart) SVG(w io.Writer, l Layout) error { return c.svg(w, l, true) }

// InlineSVG writes the chart as an svg element for an HTML page, which gives it the title, the
// background, and Style.
//
// Elements that belong to series carry their style numbers in data-s, separated by spaces; points
// are groups of class pb-pt with a title of two lines: where the point is, and whose value it is.
func (c *Chart) InlineSVG(w io.Writer, l Layout) error { return c.svg(w, l, false) }

func (c *Chart) svg(w io.Writer, l Layout, alone bool) error {
	canvas := newSVG(c.Size(l, alone))
	canvas.inline = !alone
	c.Draw(canvas, l, alone)
	return canvas.writeTo(w, c.alt(), alone)
}

// pngDPI renders a Wide chart at 1560 pixels: sharp in a README, which shows some 800 of them, and
// small.
const pngDPI = 108

// PNG writes the chart, wide and with its title, on white.
func (c *Chart) PNG(w io.Writer) error {
	width, height := c.Size(Wide, true)
	canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngDPI),
		vgimg.UseBackgroundColor(paper))
	c.Draw(canvas, Wide, true)
	img := image.Image(canvas.Image())
	if rgba, ok := img.(*image.RGBA); ok {
		img = paletted(rgba)
	}
	return png.Encode(w, img)
}
