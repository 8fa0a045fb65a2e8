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

type entry struct {
	names  []string
	styles []int
	theory bool
	dots   bool            // theory is known at single points only
	sample *draw.LineStyle // of a reference line, which has no style

	x, y float64 // last point in the last panel that contains the series
	last bool    // it occurs in the last panel
}

func (e entry) isSeries(name string, style int) bool {
	return e.names[0] == name && e.styles[0] == style
}

func entries(panels []Panel) (legend []entry, same [][]string) {
	type member struct {
		entry
		in []Series // the series by panel, without points in a panel that lacks it
	}
	var all []member
	theory, points := false, true
	for i, p := range panels {
		for _, s := range p.Series {
			if s.Theory {
				theory, points = true, points && len(s.X) == 1
				continue
			}
			at := slices.IndexFunc(all, func(m member) bool { return m.isSeries(s.Name, s.Style) })
			if at < 0 {
				at = len(all)
				all = append(all, member{entry{names: []string{s.Name}, styles: []int{s.Style}},
					make([]Series, len(panels))})
			}
			m := &all[at]
			m.in[i] = s
			m.x, m.y, m.last = s.X[len(s.X)-1], s.Y[len(s.Y)-1], i == len(panels)-1
		}
	}
	slices.SortStableFunc(all, func(a, b member) int {
		return cmp.Compare(a.styles[0], b.styles[0])
	})
	var firsts []member // one per entry of the legend
	for _, m := range all {
		at := slices.IndexFunc(firsts, func(o member) bool {
			return slices.EqualFunc(o.in, m.in, equal)
		})
		if at < 0 {
			firsts, legend = append(firsts, m), append(legend, m.entry)
			continue
		}
		legend[at].names = append(legend[at].names, m.names[0])
		legend[at].styles = append(legend[at].styles, m.styles[0])
	}
	for _, e := range legend {
		if len(e.names) > 1 {
			same = append(same, slices.Clone(e.names))
		}
	}
	if theory {
		legend = append(legend, entry{names: []string{"exact theory"}, theory: true, dots: points})
	}
	return legend, same
}

const (
	swatchWidth vg.Length = 30
	swatchGap   vg.Length = 7
	lineHeight  vg.Length = 15.5
	entryGap    vg.Length = 4
	widestName  vg.Length = 185
)

type label struct {
	entry
	lines []string
	width vg.Length // of sample and text
}

func (l label) height() vg.Length { return lineHeight*vg.Length(len(l.lines)) + entryGap }

func labels(legend []entry, widest vg.Length) []label {
	style := textStyle(legendSize, xfont.WeightNormal, ink)
	out := make([]label, len(legend))
	for i, e := range legend {
		out[i] = label{entry: e, lines: breakName(listed(e.names), widest, style)}
		for _, line := range out[i].lines {
			out[i].width = max(out[i].width, style.Width(line))
		}
		out[i].width += swatchWidth + swatchGap
	}
	return out
}

const maxListed = 4

func listed(names []string) []string {
	if len(names) <= maxListed {
		return names
	}
	const shown = maxListed - 2
	return append(slices.Clone(names[:shown]), fmt.Sprintf("%d others", len(names)-shown))
}

// breakName breaks a long name before its parameters, then shortens it.
func breakName(names []string, widest vg.Length, style draw.TextStyle) (lines []string) {
	current := ""
	for i, name := range names {
		if i > 0 {
			name = "= " + name
		}
		if current != "" && style.Width(current+" "+name) <= widest {
			current += " " + name
			continue
		}
		if current != "" {
			lines = append(lines, current)
		}
		for style.Width(name) > widest {
			at := strings.LastIndexAny(shortenToWidth(name, widest, style), ":,")
			if at < 0 {
				name = abbreviate(name, widest, style)
				break
			}
			lines = append(lines, name[:at+1])
			name = name[at+1:]
		}
		current = name
	}
	return append(lines, current)
}

func abbreviate(text string, width vg.Length, style draw.TextStyle) string {
	if style.Width(text) <= width {
		return text
	}
	return shortenToWidth(text, width-style.Width("…"), style) + "…"
}

func shortenToWidth(text string, width vg.Length, style draw.TextStyle) string {
	runes := []rune(text)
	n := 1
	for n < len(runes) && style.Width(string(runes[:n+1])) <= width {
		n++
	}
	return string(runes[:min(n, len(runes))])
}

func (l label) draw(c *draw.Canvas, at vg.Point) {
	group(c, l.styles, "pb-key", "", func() {
		mid := at.Y - lineHeight*vg.Length(len(l.lines))/2
		a, b := vg.Point{X: at.X, Y: mid}, vg.Point{X: at.X + swatchWidth, Y: mid}
		l.drawSample(c, a, b)
		style := textStyle(legendSize, xfont.WeightNormal, ink)
		for i, line := range l.lines {
			c.FillText(style, vg.Point{X: at.X + swatchWidth + swatchGap,
				Y: at.Y - lineHeight*vg.Length(i) + 1}, line)
		}
	})
}

func (l label) drawSample(c *draw.Canvas, a, b vg.Point) {
	switch {
	case l.theory && l.dots:
		c.SetColor(muted.fade(theoryAlpha))
		c.Fill(dot(vg.Point{X: (a.X + b.X) / 2, Y: a.Y}, theoryWidth))
	case l.theory:
		c.StrokeLines(draw.LineStyle{Color: muted.fade(theoryAlpha), Width: theoryWidth},
			[]vg.Point{a, b})
	case l.sample != nil:
		c.StrokeLines(*l.sample, []vg.Point{a, b})
	default:
		drawSwatch(c, l.styles, a, b)
	}
}

func drawSwatch(c *draw.Canvas, styles []int, a, b vg.Point) {
	styles = styles[:min(len(styles), maxStripes)]
	n := len(styles)
	for i, style := range styles {
		look := lookOf(style)
		s := draw.LineStyle{Color: look.tint, Width: lineWidth, Dashes: look.dash}
		if n > 1 {
			size := max((b.X-a.X)/vg.Length(2*n), 1)
			s.Dashes, s.DashOffs = []vg.Length{size, size * vg.Length(n-1)}, size*vg.Length((n-i)%n)
		}
		c.StrokeLines(s, []vg.Point{a, b})
	}
	for i, style := range styles {
		look := lookOf(style)
		at := vg.Point{X: a.X + (b.X-a.X)*(vg.Length(i)+0.5)/vg.Length(n), Y: a.Y}
		drawMarker(c, look.marker, look.tint, paper, at, markerRadius-0.4, 1.4)
	}
}

// spread moves labels as little as necessary so they do not overlap. want has the desired heights,
// from the top. It returns the upper edges.
func spread(want []vg.Length, heights []vg.Length, bottom, top vg.Length) []vg.Length {
	at := slices.Clone(want)
	edge := top
	for i := range at {
		at[i] = min(at[i], edge)
		edge = at[i] - heights[i]
	}
	edge = bottom
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = max(at[i], edge+heights[i])
		edge = at[i]
	}
	return at
}
