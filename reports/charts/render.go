package charts

import (
	"image"
	"image/png"
	"io"

	"gonum.org/v1/plot/vg/vgimg"
)

// SVG writes the chart as a standalone file with title, background and dark mode.
func (c *Chart) SVG(w io.Writer, l Layout) error { return c.svg(w, l, true) }

// InlineSVG writes the chart as an svg element for an HTML page, which supplies title, background
// and Style. Elements of series list their style numbers in data-s. Points are groups of class
// pb-pt with a title of two lines: the place, then series and value.
func (c *Chart) InlineSVG(w io.Writer, l Layout) error { return c.svg(w, l, false) }

func (c *Chart) svg(w io.Writer, l Layout, alone bool) error {
	canvas := newSVG(c.Size(l, alone))
	canvas.inline = !alone
	c.Draw(canvas, l, alone)
	return canvas.writeTo(w, c.alt(), alone)
}

// A Wide chart then has 1560 pixels, sharp in a README of about 800 pixels.
const pngDPI = 108

// PNG writes the chart in Wide layout.
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
