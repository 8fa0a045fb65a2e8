package charts

import (
	"math"
	"slices"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Timeline draws counts (Y), such as tasks in flight, over the time of a run (X, seconds). Each
// panel has its own y axis, logarithmic if one series is many times higher than another. Long
// series are reduced to points that include their peaks. Gaps are shaded. A limit above 0 is a line
// in the first panel. marks are vertical lines in all panels.
func Timeline(title string, limit float64, panels []Panel, marks ...float64) (*Chart, error) {
	c := &Chart{Title: title}
	cleaned := c.clean(panels, counting, counting)
	_, xmax, _, _ := rangeOf(cleaned)
	var gaps unrecorded
	for _, s := range seriesOf(cleaned[:min(1, len(cleaned))]) {
		gaps = append(gaps, s.Gaps...)
	}
	names := []string{"limit"}
	bounded := limit > 0 && len(cleaned) > 0 && cleaned[0].Title == panels[0].Title
	if bounded {
		c.legend = []entry{{names: names, sample: levelStyle(0), y: limit, last: len(cleaned) == 1}}
	}
	return c.fill(cleaned, func(i int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "time since the start (s)", "tasks")
		_, _, ymin, ymax := rangeOf([]Panel{panel})
		var bound []Level
		if bounded && i == 0 {
			bound, ymax = []Level{{Name: names[0], Y: limit}}, max(ymax, limit)
		}
		for i, s := range panel.Series {
			panel.Series[i] = keepPeaks(s, maxPoints)
		}
		p.Add(gaps, instants(marks), levels{bound, names},
			&lines{series: panel.Series,
				marked: func(s Series, i int) bool { return i == len(s.X)-1 }})
		p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{Count, 5}, linearTicks{Count, 4}
		p.X.Min, p.X.Max = 0, max(xmax, tiniest)
		if p.Y.Min, p.Y.Max = linearRange(ymin, ymax); needsLogScale(panel.Series) {
			p.Y.Label.Text += " (log scale)"
			p.Y.Scale, p.Y.Tick.Marker = countScale{}, countTicks{}
		}
		return p
	})
}

func needsLogScale(all []Series) bool {
	const times = 20
	low, high := math.Inf(1), 0.0
	for _, s := range all {
		top := slices.Max(append(s.Y[:len(s.Y):len(s.Y)], 0))
		low, high = min(low, max(top, 1)), max(high, top)
	}
	return high > times*low
}

// countScale is the logarithm of count + 1, so it includes 0.
type countScale struct{}

func (countScale) Normalize(lo, hi, n float64) float64 {
	return (math.Log1p(n) - math.Log1p(lo)) / (math.Log1p(hi) - math.Log1p(lo))
}

type countTicks struct{}

func (countTicks) Ticks(_, hi float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 0, Label: "0"}}
	for n := 1.0; n <= hi; n *= 10 {
		ticks = append(ticks, plot.Tick{Value: n, Label: Count(n)})
	}
	return ticks
}

type instants []float64

func (all instants) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{3, 3}}
	for _, at := range all {
		if at > p.X.Min && at < p.X.Max {
			c.StrokeLine2(style, x(at), c.Min.Y, x(at), c.Max.Y)
		}
	}
}

type unrecorded []Span

const unrecordedName = "not recorded"

func (all unrecorded) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	style := textStyle(textSize, xfont.WeightNormal, muted)
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	half, end := style.Width(unrecordedName)/2, c.Min.X
	for _, g := range all {
		left := min(x(g.From), x(g.To)-minBar)
		c.FillPolygon(grid, box(left, c.Min.Y, x(g.To), c.Max.Y))
		if at := min((left+x(g.To))/2, c.Max.X-half); at-half >= end {
			c.FillText(style, vg.Point{X: at, Y: c.Max.Y + 3}, unrecordedName)
			end = at + half + 3
		}
	}
}

const maxPoints = 300

// keepPeaks keeps the highest point of each of n stretches, and the last point.
func keepPeaks(s Series, n int) Series {
	if len(s.X) <= n {
		return s
	}
	out := Series{Name: s.Name, Style: s.Style, Gaps: s.Gaps}
	for i := range n {
		from, to := i*len(s.X)/n, (i+1)*len(s.X)/n
		top := from + slices.Index(s.Y[from:to], slices.Max(s.Y[from:to]))
		if i == n-1 {
			top = len(s.X) - 1
		}
		out.X, out.Y = append(out.X, s.X[top]), append(out.Y, s.Y[top])
	}
	return out
}
