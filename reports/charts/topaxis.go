package charts

import (
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type topAxis struct {
	label string
	marks []Mark
	kind  axisKind
}

const topRoom vg.Length = 2.6 * textSize

func (t topAxis) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := textStyle(textSize, xfont.WeightNormal, muted)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	right := c.Min.X - 100
	for _, m := range t.marks {
		if !t.kind.shows(m.At) || !c.ContainsX(x(m.At)) {
			continue
		}
		at, half := x(m.At), style.Width(m.Text)/2
		if at-half < right+4 { // would touch the previous label
			continue
		}
		right = at + half
		c.FillText(style, vg.Point{X: at, Y: c.Max.Y + 3}, m.Text)
	}
	c.FillText(style, vg.Point{X: c.Center().X, Y: c.Max.Y + 3 + 1.25*textSize}, t.label)
}

func (t topAxis) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{Y: topRoom}}}}
}
