package charts

import (
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel draws titles and axis labels, because gonum misplaces the labels of logarithmic axes, and
// pads the data for them.
type panel struct {
	*plot.Plot // without title and labels
	title      string
	x, y       string
}

func panelOf(p *plot.Plot, showY bool) panel {
	q := *p
	out := panel{Plot: &q, title: p.Title.Text, x: p.X.Label.Text, y: p.Y.Label.Text}
	q.Title.Text, q.X.Label.Text, q.Y.Label.Text = "", "", ""
	if !showY {
		out.y = ""
		q.Y.Tick.Marker = blankTicks{p.Y.Tick.Marker}
	}
	return out
}

const labelRoom vg.Length = textSize * 1.8

func (p panel) inner(cell draw.Canvas) draw.Canvas {
	var left, bottom vg.Length
	top := arrowLength
	if p.y != "" {
		left = labelRoom
	}
	if p.x != "" {
		bottom = labelRoom
	}
	if p.title != "" {
		top += 1.3 * headSize
	}
	return draw.Crop(cell, left, 0, bottom, -top)
}

func (p panel) data(cell draw.Canvas) draw.Canvas { return p.DataCanvas(p.inner(cell)) }

func (p panel) draw(cell draw.Canvas) (data draw.Canvas) {
	p.Draw(p.inner(cell))
	data = p.data(cell)
	style := textStyle(headSize, xfont.WeightBold, ink)
	cell.FillText(style, vg.Point{X: data.Min.X, Y: cell.Max.Y},
		shortened(p.title, cell.Max.X-data.Min.X, style))
	style = textStyle(textSize, xfont.WeightNormal, muted)
	style.XAlign = draw.XCenter
	style.YAlign = draw.YBottom
	cell.FillText(style, vg.Point{X: data.Center().X, Y: cell.Min.Y + 2}, p.x)
	style.Rotation = math.Pi / 2
	style.YAlign = draw.YTop
	cell.FillText(style, vg.Point{X: cell.Min.X, Y: data.Center().Y}, p.y)
	return data
}

func shortened(text string, width vg.Length, style draw.TextStyle) string {
	runes := []rune(text)
	for n := len(runes); n > 3 && style.Width(text) > width; n-- {
		text = string(runes[:n/2]) + "…" + string(runes[len(runes)-(n-1)/2:])
	}
	return text
}

// blankTicks uses a hair space, because ticks with empty labels would lose their grid lines.
type blankTicks struct{ plot.Ticker }

func (w blankTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := slices.Clone(w.Ticker.Ticks(lo, hi))
	for i := range ticks {
		ticks[i].Label = "\u200a" // hair space
	}
	return ticks
}
