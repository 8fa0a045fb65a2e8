package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/poolbench/poolbench/internal/text"
)

// CapacityBar is the capacity interval of one strategy.
type CapacityBar struct {
	Name   string
	Style  int     // number of the strategy, from 0
	Met    float64 // highest load, or rate, that meets the objective, or NaN
	Missed float64 // lowest higher load that misses it, or NaN
}

// Capacity draws a row for each strategy, the highest capacity first: a thin line over the loads
// that meet the objective, and a bar over the capacity's interval, with an arrow at an unknown end.
// from and to are the searched range.
func Capacity(title string, across XAxis, from, to float64, found []CapacityBar) (*Chart, error) {
	if !counting.shows(from) || !counting.shows(to) || from >= to {
		return nil, &EmptyError{Chart: title,
			Notes: []string{fmt.Sprintf("no range from %v to %v", from, to)}}
	}
	rows := make([]CapacityBar, 0, len(found))
	var notes []string
	within := func(v float64) bool { return linear.shows(v) && v >= from && v <= to }
	for _, f := range found {
		if math.IsNaN(f.Met) && math.IsNaN(f.Missed) || !math.IsNaN(f.Met) && !within(f.Met) ||
			!math.IsNaN(f.Missed) && !within(f.Missed) {
			notes = append(notes, f.Name+" omitted, because nothing is decided in the range")
			continue
		}
		rows = append(rows, f)
	}
	slices.SortStableFunc(rows, func(a, b CapacityBar) int {
		return cmp.Or(-cmp.Compare(a.Met, b.Met),
			-cmp.Compare(orInfinity(a.Missed), orInfinity(b.Missed)), cmp.Compare(a.Style, b.Style))
	})
	names := text.Texts(rows, func(f CapacityBar) string { return f.Name })
	p := newPlot("", across.Label(), "")
	p.Add(capacityBars{rows, across, from, to})
	p.X.Tick.Marker = linearTicks{Count, 6}
	p.X.Min, p.X.Max = linearRange(0, to)
	return namedRows(p, names, &Chart{Title: title, Notes: notes})
}

func namedRows(p *plot.Plot, names []string, c *Chart) (*Chart, error) {
	if len(names) == 0 {
		return nil, &EmptyError{Chart: c.Title, Notes: c.Notes}
	}
	rowAxis(p, len(names), rowTicks(names))
	p.Y.Tick.Label.Color = ink
	c.Panels, c.rowsHigh = []*plot.Plot{p}, len(names)
	return c, nil
}

func rowAxis(p *plot.Plot, rows int, ticks plot.Ticker) {
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.Y.Min, p.Y.Max = -0.5, float64(rows)-0.5
	p.Y.Tick.Marker = ticks
}

func orInfinity(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

type rowTicks []string

const widestRow vg.Length = 170

func (rows rowTicks) Ticks(_, _ float64) (ticks []plot.Tick) {
	style := textStyle(textSize, xfont.WeightNormal, ink)
	for i, name := range rows {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: abbreviate(name, widestRow, style)})
	}
	return ticks
}

type capacityBars struct {
	rows     []CapacityBar
	across   XAxis
	from, to float64
}

const (
	barHeight vg.Length = 9
	metWidth  vg.Length = 2
	minBar    vg.Length = 3 // narrowest visible bar
)

func (b capacityBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, f := range b.rows {
		look, at := lookOf(f.Style), y(float64(i))
		left, right := x(b.from), x(b.to)
		if !math.IsNaN(f.Met) {
			left = x(f.Met)
		}
		if !math.IsNaN(f.Missed) {
			right = x(f.Missed)
		}
		group(&c, []int{f.Style}, "pb-pt", b.tip(f), func() {
			if !math.IsNaN(f.Met) {
				c.StrokeLine2(draw.LineStyle{Color: look.tint.fade(0.6), Width: metWidth},
					c.Min.X, at, left, at)
			}
			switch {
			case b.allMeet(f): // every load meets the objective
				drawHead(&c, look.tint, vg.Point{X: right + arrowLength/2, Y: at}, 1)
			case b.noneMeets(f): // no load meets the objective
				right = left
				drawHead(&c, look.tint, vg.Point{X: max(left-arrowLength, c.Min.X+2), Y: at}, -1)
			default:
				if right-left < minBar {
					mid := (left + right) / 2
					left, right = mid-minBar/2, mid+minBar/2
				}
				c.FillPolygon(look.tint, box(left, at-barHeight/2, right, at+barHeight/2))
				if math.IsNaN(f.Missed) {
					drawHead(&c, look.tint, vg.Point{X: right + arrowLength/2, Y: at}, 1)
					right += arrowLength / 2
				}
				if math.IsNaN(f.Met) {
					drawHead(&c, look.tint, vg.Point{X: left - arrowLength/2, Y: at}, -1)
				}
			}
		})
		b.drawValue(&c, f, left, right, at)
	}
}

func (b capacityBars) allMeet(f CapacityBar) bool { return f.Met == b.to }
func (b capacityBars) noneMeets(f CapacityBar) bool {
	return math.IsNaN(f.Met) && f.Missed == b.from
}

func (b capacityBars) drawValue(c *draw.Canvas, f CapacityBar, left, right, at vg.Length) {
	style := textStyle(textSize, xfont.WeightNormal, muted)
	style.YAlign = draw.YCenter
	text := b.rangeText(f)
	const space = 8
	where := vg.Point{X: right + space, Y: at}
	if b.allMeet(f) {
		where.X += arrowLength / 2
	}
	if where.X+style.Width(text) > c.Max.X {
		where.X = left - space - style.Width(text)
		where.Y += barHeight // above the thin line
	} else {
		c.FillPolygon(paper, box(where.X-2, at-1, where.X+style.Width(text)+2, at+1))
		where.Y += 2
	}
	c.FillText(style, where, text)
}

func box(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top},
		{X: left, Y: top}}
}

func (b capacityBars) rangeText(f CapacityBar) string {
	switch {
	case b.allMeet(f):
		return "at least " + Count(f.Met)
	case b.noneMeets(f):
		return "below " + Count(f.Missed)
	case math.IsNaN(f.Missed):
		return Count(f.Met) + " to ?"
	case math.IsNaN(f.Met):
		return "? to " + Count(f.Missed)
	}
	return Count(f.Met) + " to " + Count(f.Missed)
}

func (b capacityBars) tip(f CapacityBar) string {
	return b.across.tip(min(orInfinity(f.Met), orInfinity(f.Missed))) + "\n" +
		f.Name + "  " + b.rangeText(f)
}

func drawHead(c *draw.Canvas, t role, tip vg.Point, direction vg.Length) {
	const head = 4.5
	back := tip.X - direction*head
	c.StrokeLines(draw.LineStyle{Color: t, Width: 1.75},
		[]vg.Point{{X: tip.X - direction*arrowLength/2, Y: tip.Y}, tip},
		[]vg.Point{{X: back, Y: tip.Y + head}, tip, {X: back, Y: tip.Y - head}})
}

func (b capacityBars) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: p.X.Norm(b.to),
		Rectangle: vg.Rectangle{Max: vg.Point{X: arrowLength}}}}
}
