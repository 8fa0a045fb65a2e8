package charts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Layout is an arrangement of a chart.
type Layout int

const (
	// panels in a row, names at the ends of the lines: for screens and paper
	Wide   Layout = iota
	Narrow        // panels in a column, names below: for phones
	// one panel, and a column of names that a narrow window cuts off
	Compact
)

// InPage returns the layouts for a page. Line charts are Compact at all widths. Named rows cannot
// be cut off, so they also have a Narrow picture.
func (c *Chart) InPage() []Layout {
	switch {
	case len(c.Panels) > 1:
		return []Layout{Narrow}
	case c.rows != nil || c.rowsHigh > 0:
		return []Layout{Compact, Narrow}
	}
	return []Layout{Compact}
}

// Parts returns each panel as a chart without names, which Key returns.
func (c *Chart) Parts() (out []*Chart) {
	if len(c.Panels) == 1 {
		return []*Chart{c}
	}
	for i, p := range c.Panels {
		part := *c
		part.Panels, part.legend, part.Alt = c.Panels[i:i+1], nil, p.Title.Text
		if i == 0 { // common to all parts
			part.Alt = c.alt()
		}
		if part.Alt == "" {
			part.Alt = fmt.Sprintf("panel %d", i+1)
		}
		out = append(out, &part)
	}
	return out
}

const (
	wideWidth    vg.Length = 1040
	wideHeight   vg.Length = 400
	tallHeight   vg.Length = 480
	narrowWidth  vg.Length = 340
	compactWidth vg.Length = 604
	compactNames vg.Length = 224 // widestName with its sample
	narrowHeight vg.Length = 270 // per panel
	margin       vg.Length = 6
	panelGap     vg.Length = 22
	rowHeight    vg.Length = 26 // per named row
	axisHeight   vg.Length = 70 // below the rows, and the margin above them
)

// Size returns the size of the chart in a layout, with or without its title.
func (c *Chart) Size(l Layout, titled bool) (w, h vg.Length) {
	head := vg.Length(0)
	if titled {
		head = c.headHeight(width(l))
	}
	if c.rows != nil {
		return width(l), head + c.layRows(l).height(l) + 2*margin
	}
	if c.rowsHigh > 0 {
		return width(l), head + rowHeight*vg.Length(c.rowsHigh) + axisHeight + 2*margin
	}
	if l == Narrow {
		_, legend := c.rowsOf(narrowWidth - 2*margin)
		return narrowWidth, head + narrowHeight*vg.Length(len(c.Panels)) + legend + 2*margin
	}
	h = wideHeight
	if c.tall {
		h = tallHeight
	}
	var legend vg.Length
	for _, name := range labels(c.legend, widestName) {
		legend += name.height()
	}
	return width(l), head + max(h, legend+3*lineHeight) + 2*margin
}

func width(l Layout) vg.Length {
	switch l {
	case Narrow:
		return narrowWidth
	case Compact:
		return compactWidth
	}
	return wideWidth
}

// Draw draws on a canvas of the size returned by Size.
func (c *Chart) Draw(canvas vg.Canvas, l Layout, titled bool) {
	w, h := c.Size(l, titled)
	area := draw.Crop(draw.NewCanvas(canvas, w, h), margin, -margin, margin, -margin)
	if titled {
		c.drawHead(area, w)
		area = draw.Crop(area, 0, 0, 0, -c.headHeight(w))
	}
	switch {
	case c.rows != nil:
		c.drawRows(area, l)
	case l == Narrow:
		c.drawColumn(area)
	default:
		c.drawRow(area, l)
	}
}

func (c *Chart) head(w vg.Length) (title, subtitle []string, big, small draw.TextStyle) {
	big, small = textStyle(titleSize, xfont.WeightBold, ink),
		textStyle(headSize, xfont.WeightNormal, muted)
	if w < wideWidth {
		big.Font.Size = 14
		small.Font.Size = textSize
	}
	return wrap(c.Title, w-2*margin, big), wrap(c.Subtitle, w-2*margin, small), big, small
}

func (c *Chart) headHeight(w vg.Length) vg.Length {
	title, subtitle, big, small := c.head(w)
	return vg.Length(len(title))*big.Font.Size*1.25 + vg.Length(len(subtitle))*small.Font.Size*1.3 +
		10
}

func (c *Chart) drawHead(area draw.Canvas, w vg.Length) {
	title, subtitle, big, small := c.head(w)
	at := vg.Point{X: area.Min.X, Y: area.Max.Y}
	for _, line := range title {
		area.FillText(big, at, line)
		at.Y -= big.Font.Size * 1.25
	}
	for _, line := range subtitle {
		area.FillText(small, at, line)
		at.Y -= small.Font.Size * 1.3
	}
}

func wrap(text string, width vg.Length, style draw.TextStyle) (lines []string) {
	for len(text) > 0 {
		if style.Width(text) <= width {
			return append(lines, text)
		}
		line := shortenToWidth(text, width, style)
		if at := strings.LastIndexByte(line, ' '); at > 0 {
			line = line[:at]
		}
		lines = append(lines, line)
		text = strings.TrimLeft(text[len(line):], " ")
	}
	return lines
}

func (c *Chart) drawRow(area draw.Canvas, l Layout) {
	names := labels(c.legend, widestName)
	var legend vg.Length
	for _, name := range names {
		legend = max(legend, name.width)
	}
	if l == Compact && c.rowsHigh == 0 {
		legend = compactNames
	}
	const leader = 18
	row := draw.Crop(area, 0, -(legend + leader), 0, 0)

	panels := make([]panel, len(c.Panels))
	axes := make([]vg.Length, len(c.Panels)) // width of each panel outside its data area
	room := row.Size().X - panelGap*vg.Length(len(c.Panels)-1)
	for i, p := range c.Panels {
		panels[i] = panelOf(p, i == 0 || !c.shareY)
		axes[i] = row.Size().X - panels[i].data(row).Size().X
		room -= axes[i]
	}
	each := room / vg.Length(len(c.Panels))
	left := row.Min.X
	var last draw.Canvas
	for i, p := range panels {
		right := left + axes[i] + each
		last = p.draw(cell(row, left, right, row.Min.Y, row.Max.Y))
		left = right + panelGap
	}
	c.drawNames(area, last, names, legend)
}

func cell(c draw.Canvas, left, right, bottom, top vg.Length) draw.Canvas {
	return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: left, Y: bottom},
		Max: vg.Point{X: right, Y: top}}}
}

func (c *Chart) drawNames(area, data draw.Canvas, names []label, width vg.Length) {
	p := c.Panels[len(c.Panels)-1]
	x, y := p.Transforms(&data)
	want := func(l label) vg.Length {
		if !l.last {
			return area.Min.Y
		}
		return y(clampToAxis(p.Y, l.y)) + (l.height()-entryGap)/2
	}
	slices.SortStableFunc(names, func(a, b label) int { return cmp.Compare(want(b), want(a)) })
	tops := make([]vg.Length, len(names))
	heights := make([]vg.Length, len(names))
	for i, l := range names {
		tops[i], heights[i] = want(l), l.height()
	}
	tops = spread(tops, heights, area.Min.Y, area.Max.Y)
	left := area.Max.X - width
	for i, l := range names {
		if l.last && l.sample == nil && x(l.x) > data.Max.X-3*markerRadius {
			from := vg.Point{X: x(l.x) + 2*markerRadius, Y: y(clampToAxis(p.Y, l.y))}
			to := vg.Point{X: left - 3, Y: tops[i] - (l.height()-entryGap)/2}
			group(&area, l.styles, "", "", func() {
				area.StrokeLines(draw.LineStyle{Color: rule, Width: 0.7}, []vg.Point{from, to})
			})
		}
		l.draw(&area, vg.Point{X: left, Y: tops[i]})
	}
}

func (c *Chart) drawColumn(area draw.Canvas) {
	rows, legend := c.rowsOf(narrowWidth - 2*margin)
	panels := draw.Crop(area, 0, 0, legend, 0)
	n := vg.Length(len(c.Panels))
	each := panels.Size().Y / n
	for i, p := range c.Panels {
		top := panels.Max.Y - each*vg.Length(i)
		panelOf(p, true).draw(cell(panels, panels.Min.X, panels.Max.X, top-each+10, top))
	}
	drawLabelRows(&area, rows, area.Min.Y+legend-6)
}

func drawLabelRows(area *draw.Canvas, rows [][]label, top vg.Length) {
	at := vg.Point{X: area.Min.X, Y: top}
	for _, row := range rows {
		at.X = area.Min.X
		var height vg.Length
		for _, l := range row {
			l.draw(area, at)
			at.X += l.width + 16
			height = max(height, l.height())
		}
		at.Y -= height
	}
}

func (c *Chart) rowsOf(room vg.Length) (rows [][]label, height vg.Length) {
	var used, high vg.Length
	for _, l := range labels(c.legend, room-swatchWidth-swatchGap) {
		if len(rows) == 0 || used+16+l.width > room {
			rows = append(rows, nil)
			height += high
			used, high = -16, 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], l)
		used += 16 + l.width
		high = max(high, l.height())
	}
	return rows, height + high + 8
}
