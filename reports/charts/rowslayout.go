package charts

import (
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

type rowNames struct {
	names  []string
	tracks int // largest number of series in a row
}

const (
	rowPitch       vg.Length = 21 // height of a row with one line and one series
	nameLine       vg.Length = 12.5
	nameGap        vg.Length = 8
	widestRowWide  vg.Length = 280
	namesOnNarrow  vg.Length = 140
	tickGap        vg.Length = 5
	panelTitleLine vg.Length = 1.3 * headSize
)

type rowLayout struct {
	legend       [][]label
	legendHeight vg.Length
	names        [][]string // lines of each name
	namesWidth   vg.Length
	pitch        vg.Length
	panels       []rowPlot
}

type rowPlot struct {
	*plot.Plot
	title, x []string
	width    vg.Length // includes ticks outside the data
	beside   vg.Length
}

func (r rowPlot) head() vg.Length { return panelTitleLine*vg.Length(len(r.title)) + 3 }
func (r rowPlot) foot() vg.Length { return lineHeight * vg.Length(len(r.x)) }

const rowTicksHeight vg.Length = 1.6 * textSize

func (c *Chart) layRows(l Layout) (out rowLayout) {
	room := width(l) - 2*margin
	out.legend, out.legendHeight = c.rowsOf(room)
	if len(c.legend) == 0 {
		out.legendHeight = 0
	}
	style := textStyle(textSize, xfont.WeightNormal, ink)
	widest := widestRowWide
	if l == Narrow {
		widest = namesOnNarrow
	}
	most := 1
	for _, name := range c.rows.names {
		lines := foldName(name, widest, style)
		for _, line := range lines {
			out.namesWidth = max(out.namesWidth, style.Width(line))
		}
		most = max(most, len(lines))
		out.names = append(out.names, lines)
	}
	out.pitch = max(rowPitch, nameLine*vg.Length(most)+6, trackPitch*vg.Length(c.rows.tracks)+8)

	left := room - out.namesWidth - nameGap
	beside := 1
	if l == Wide {
		beside = len(c.Panels)
	}
	left -= panelGap * vg.Length(beside-1)
	each := left / vg.Length(beside) // includes tick labels that extend beyond the data
	head, label := textStyle(headSize, xfont.WeightBold, ink),
		textStyle(textSize, xfont.WeightNormal, muted)
	for _, p := range c.Panels {
		q := *p
		q.Title.Text, q.X.Label.Text = "", ""
		q.X.Tick.Marker = spacedTicks{p.X.Tick.Marker, p.X, 0.93 * each} // the data is narrower
		cell := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: each, Y: 400}}}
		out.panels = append(out.panels, rowPlot{Plot: &q, title: wrap(p.Title.Text, each, head),
			x: wrap(p.X.Label.Text, each, label), width: each,
			beside: each - q.DataCanvas(cell).Size().X})
	}
	if l == Wide { // data areas of equal width
		for _, r := range out.panels {
			left -= r.beside
		}
		for i := range out.panels {
			out.panels[i].width = left/vg.Length(beside) + out.panels[i].beside
		}
	}
	return out
}

func (r rowLayout) dataHeight() vg.Length { return r.pitch * vg.Length(len(r.names)) }

func (r rowLayout) tallest() (head, foot vg.Length) {
	for _, p := range r.panels {
		head, foot = max(head, p.head()), max(foot, p.foot())
	}
	return head, foot
}

func (r rowLayout) height(l Layout) (h vg.Length) {
	h = r.legendHeight
	if l == Wide {
		head, foot := r.tallest()
		return h + head + r.dataHeight() + rowTicksHeight + foot
	}
	for _, p := range r.panels {
		h += p.head() + r.dataHeight() + rowTicksHeight + p.foot() + panelGap
	}
	return h - panelGap
}

func (c *Chart) drawRows(area draw.Canvas, l Layout) {
	lay := c.layRows(l)
	drawLabelRows(&area, lay.legend, area.Max.Y)
	top := area.Max.Y - lay.legendHeight
	left := area.Min.X + lay.namesWidth + nameGap
	if l == Wide {
		head, _ := lay.tallest()
		for i, p := range lay.panels {
			data := lay.draw(area, p, left, top, head)
			if i == 0 {
				lay.drawNames(area, data)
			}
			left += p.width + panelGap
		}
		return
	}
	for _, p := range lay.panels {
		lay.drawNames(area, lay.draw(area, p, left, top, p.head()))
		top -= p.head() + lay.dataHeight() + rowTicksHeight + p.foot() + panelGap
	}
}

func (r rowLayout) draw(area draw.Canvas, p rowPlot, left, top, head vg.Length) (data draw.Canvas) {
	bottom := top - head - r.dataHeight() - rowTicksHeight
	inner := cell(area, left, left+p.width, bottom, top-head)
	p.Draw(inner)
	data = p.DataCanvas(inner)
	for i, line := range p.title {
		area.FillText(textStyle(headSize, xfont.WeightBold, ink),
			vg.Point{X: data.Min.X, Y: top - panelTitleLine*vg.Length(i)}, line)
	}
	style := textStyle(textSize, xfont.WeightNormal, muted)
	style.XAlign = draw.XCenter
	for i, line := range p.x {
		area.FillText(style, vg.Point{X: data.Center().X, Y: bottom - lineHeight*vg.Length(i)},
			line)
	}
	return data
}

func (r rowLayout) drawNames(area, data draw.Canvas) {
	style := textStyle(textSize, xfont.WeightNormal, ink)
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	each := data.Size().Y / vg.Length(len(r.names))
	for i, lines := range r.names {
		mid := data.Max.Y - each*(vg.Length(i)+0.5)
		for j, line := range lines {
			at := mid + nameLine*(vg.Length(len(lines)-1)/2-vg.Length(j))
			area.FillText(style, vg.Point{X: area.Min.X + r.namesWidth, Y: at + 1}, line)
		}
	}
}

func foldName(name string, widest vg.Length, style draw.TextStyle) []string {
	if style.Width(name) <= widest {
		return []string{name}
	}
	first := shortenToWidth(name, widest, style)
	if at := strings.LastIndexAny(first, " :,/·"); at > 0 {
		first = first[:at] + string([]rune(first[at:])[0])
	}
	rest := strings.TrimLeft(name[len(first):], " ")
	return slices.DeleteFunc([]string{strings.TrimRight(first, " "), abbreviate(rest, widest, style)},
		func(s string) bool { return s == "" })
}

type spacedTicks struct {
	plot.Ticker
	axis  plot.Axis
	width vg.Length
}

func (a spacedTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := slices.Clone(a.Ticker.Ticks(lo, hi))
	style := textStyle(textSize, xfont.WeightNormal, muted)
	var end vg.Length
	for i, t := range ticks {
		half := style.Width(t.Label) / 2
		at := a.width * vg.Length(a.axis.Norm(t.Value))
		if i > 0 && at-half < end+tickGap {
			ticks[i].Label = "\u200a" // hair space: keeps the grid line
			continue
		}
		end = at + half
	}
	return ticks
}
