package charts

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/poolbench/poolbench/internal/text"
)

// A Plane is a panel with its own axes and remarks.
type Plane struct {
	Panel
	X, Y     Axis
	TopLabel string
	Top      []Mark
	Levels   []Level
	Remarks  []Annotation
}

// An Axis is the scale and number format of an axis.
type Axis struct {
	Label string
	Log   bool
	// with Log, on an x axis: show 0 left of the logarithmic part
	Zero   bool
	Marks  []float64            // values of the ticks. nil means round values
	Reach  []float64            // values that the range must include
	Format func(float64) string // nil means Count
	Name   string               // precedes a value in a tooltip: "R" of "R 50"
}

// A Mark is a labelled place on an axis.
type Mark struct {
	At   float64
	Text string
}

// A Level is a reference value: a dashed line with a name in the legend.
type Level struct {
	Name string
	Y    float64
}

func (a Axis) kind() axisKind {
	switch {
	case a.Log && a.Zero:
		return logZero
	case a.Log:
		return logarithm
	}
	return linear
}

func (a Axis) format(v float64) string {
	if a.Format == nil {
		return Count(v)
	}
	return a.Format(v)
}

func (a Axis) extendRange(lo, hi float64) (float64, float64) {
	for _, v := range a.Reach {
		if a.kind().shows(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi
}

// Planes draws each plane. It omits marks, levels and remarks outside an axis.
func Planes(title string, planes []Plane) (*Chart, error) {
	c := &Chart{Title: title, tall: true}
	var shown []Plane
	var panels []Panel
	for _, p := range planes {
		for _, p.Panel = range c.clean([]Panel{p.Panel}, p.X.kind(), p.Y.kind()) {
			shown, panels = append(shown, p), append(panels, p.Panel)
		}
	}
	var drawn []Level
	for _, p := range shown {
		drawn = append(drawn, p.Y.levels(p.Levels)...)
	}
	known := levelNames(drawn)
	for i, name := range known {
		e := entry{names: []string{name}, sample: levelStyle(i)}
		for j, p := range shown {
			for _, l := range p.Levels {
				if l.Name == name && p.Y.kind().shows(l.Y) {
					e.y, e.last = l.Y, j == len(shown)-1
				}
			}
		}
		c.legend = append(c.legend, e)
	}
	return c.fill(panels, func(i int, _ Panel) *plot.Plot { return shown[i].plot(known) })
}

func levelNames(levels []Level) []string {
	return text.Distinct(text.Texts(levels, func(l Level) string { return l.Name }))
}

func (a Axis) levels(all []Level) []Level {
	return slices.DeleteFunc(slices.Clone(all), func(l Level) bool { return !a.kind().shows(l.Y) })
}

func (p Plane) plot(known []string) *plot.Plot {
	xmin, xmax, ymin, ymax := rangeOf([]Panel{p.Panel})
	xmin, xmax = p.X.extendRange(xmin, xmax)
	for _, l := range p.Levels {
		p.Y.Reach = append(slices.Clip(p.Y.Reach), l.Y)
	}
	ymin, ymax = p.Y.extendRange(ymin, ymax)
	out := newPlot(p.Title, p.X.Label, p.Y.Label)
	if p.X.Zero = p.X.Log && p.X.Zero && xmin == 0; p.X.Zero {
		out.Add(axisBreak{})
	}
	p.layX(out, xmin, xmax)
	if p.Y.Log && len(p.Remarks) > 0 {
		ymin /= 1.5 // leave space for words below the lines
	}
	if p.Y.Log {
		logSeconds(out, ymin, ymax)
		out.Y.Tick.Marker = logTicks(p.Y.format)
	} else {
		out.Y.Min, out.Y.Max = linearRange(ymin, ymax)
		out.Y.Tick.Marker = linearTicks{p.Y.format, 5}
	}
	if p.Y.Marks != nil {
		out.Y.Tick.Marker = fixedTicks{p.Y.Marks, p.Y.format}
	}
	name := func(x float64) string { return p.X.Name + " " + p.X.format(x) }
	if p.TopLabel != "" {
		out.Add(topAxis{p.TopLabel, p.Top, p.X.kind()})
	}
	out.Add(levels{p.Levels, known}, &lines{series: p.Series, tip: pointTip(name, p.Y.format)},
		remarks{p.Remarks, p.Series, p.X.kind(), p.Y.kind()})
	return out
}

func (p Plane) layX(out *plot.Plot, lo, hi float64) {
	switch {
	case p.X.Zero:
		low, hi := logPart(append(valuesOf([]Panel{p.Panel}), hi))
		out.X.Scale, out.X.Min, out.X.Max = zeroScale{low}, 0, hi
		out.X.Tick.Marker = zeroTicks{low, true, p.X.Marks}
	case p.X.Log:
		if hi < 1.02*lo {
			lo, hi = lo/1.2, hi*1.2
		}
		out.X.Scale, out.X.Min, out.X.Max = plot.LogScale{}, lo, hi
		out.X.Tick.Marker = logTicks(p.X.format)
	default:
		if pad := 0.04 * (hi - lo); pad > 0 {
			lo, hi = lo-pad, hi+pad
		} else {
			lo, hi = lo-max(math.Abs(lo), 1)/10, hi+max(math.Abs(hi), 1)/10
		}
		out.X.Min, out.X.Max = lo, hi
		out.X.Tick.Marker = linearTicks{p.X.format, 5}
	}
	if p.X.Marks != nil {
		out.X.Tick.Marker = fixedTicks{slices.DeleteFunc(slices.Clone(p.X.Marks), func(v float64) bool {
			if !p.X.kind().shows(v) {
				return true
			}
			at := out.X.Norm(v)
			return at < -1e-9 || at > 1+1e-9
		}), p.X.format}
	}
}

type fixedTicks struct {
	at     []float64
	format func(float64) string
}

func (m fixedTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for _, v := range m.at {
		if v >= lo*(1-1e-9) && v <= hi*(1+1e-9) {
			ticks = append(ticks, plot.Tick{Value: v, Label: m.format(v)})
		}
	}
	return ticks
}

type levels struct {
	all   []Level
	known []string // names by look
}

var levelDashes = [...][]vg.Length{{2, 3}, {9, 4}, {6, 3, 2, 3}}

func levelStyle(i int) *draw.LineStyle {
	return &draw.LineStyle{Color: ink, Width: 1.4, Dashes: levelDashes[i%len(levelDashes)]}
}

func (l levels) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, level := range l.all {
		if level.Y >= p.Y.Min && level.Y <= p.Y.Max {
			c.StrokeLine2(*levelStyle(slices.Index(l.known, level.Name)), c.Min.X, y(level.Y),
				c.Max.X, y(level.Y))
		}
	}
}
