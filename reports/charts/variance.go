package charts

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Variance draws response times (Y, seconds) against the squared coefficient of variation C² of the
// service times (X), both logarithmic, one panel per quantile. C² = 0 is left of an axis break.
func Variance(title string, panels []Panel) (*Chart, error) {
	c := &Chart{Title: title, shareY: true}
	cleaned := c.clean(panels, logZero, logarithm)
	c.tall = len(cleaned) == 1
	_, _, ymin, ymax := rangeOf(cleaned)
	at := valuesOf(cleaned)
	low, xmax := logPart(at)
	hasZero := len(at) > 0 && at[0] == 0
	if hasZero {
		at = at[1:]
	}
	return c.fill(cleaned, func(_ int, panel Panel) *plot.Plot {
		p := newPlot(panel.Title, "C² of the service times (log scale)",
			"response time (log scale)")
		if hasZero {
			p.Add(axisBreak{})
		}
		p.Add(&lines{series: panel.Series,
			tip: pointTip(func(x float64) string { return "C² " + Count(x) }, Seconds)})
		p.X.Tick.Marker = zeroTicks{low, hasZero, at}
		if hasZero {
			p.X.Scale, p.X.Min, p.X.Max = zeroScale{low}, 0, xmax
		} else {
			p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, low/1.05, xmax*1.05
		}
		logSeconds(p, ymin, ymax)
		return p
	})
}

func logPart(at []float64) (low, high float64) {
	at = slices.DeleteFunc(slices.Clone(at), func(v float64) bool { return v <= 0 })
	if len(at) == 0 {
		return 0.5, 2
	}
	if low, high = slices.Min(at), slices.Max(at); high < 1.5*low {
		return low / 2, high * 2
	}
	return low, high
}

func valuesOf(panels []Panel) (at []float64) {
	for _, s := range seriesOf(panels) {
		at = append(at, s.X...)
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// Round values replace measured ones that are too close together.
type zeroTicks struct {
	low  float64
	zero bool
	at   []float64 // without 0
}

func (z zeroTicks) Ticks(_, hi float64) (ticks []plot.Tick) {
	if z.zero {
		ticks = append(ticks, plot.Tick{Value: 0, Label: "0"})
	}
	const apart = 0.06 // share of the axis per label
	for i, v := range z.at {
		if len(z.at) < 2 || i > 0 && math.Log(v/z.at[i-1]) < apart*math.Log(hi/z.low) {
			return append(ticks, logTicks(Count).Ticks(z.low, hi)...)
		}
	}
	for _, v := range z.at {
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 2, 64)})
	}
	return ticks
}

type axisBreak struct{}

func (axisBreak) Plot(c draw.Canvas, _ *plot.Plot) {
	mid := c.X(zeroGap / 2)
	style := draw.LineStyle{Color: muted, Width: 1.2}
	for _, dx := range []vg.Length{-2.5, 2.5} {
		c.StrokeLine2(style, mid+dx-2, c.Min.Y-8, mid+dx+2, c.Min.Y+3)
	}
}
