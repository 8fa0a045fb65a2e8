package charts

import (
	"cmp"
	"math"
	"slices"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is a picture of one or more panels with one legend.
type Chart struct {
	Title    string
	Subtitle string   // second line of the title. A caller may set it before rendering
	Alt      string   // text alternative. "" means the title
	Notes    []string // omitted data
	Panels   []*plot.Plot

	// names of series that are equal in every point of every panel
	Same [][]string

	legend   []entry
	first    []Series  // series of the first panel, if it has lines
	shareY   bool      // all panels have the same y axis
	tall     bool      // a single panel that benefits from height
	rowsHigh int       // number of named rows of a single panel
	rows     *rowNames // nil unless panels share rows
}

func (c *Chart) clean(in []Panel, x, y axisKind) (out []Panel) {
	for _, p := range in {
		series, notes := clean(p.Series, x, y, p.Title)
		c.Notes = append(c.Notes, notes...)
		if len(series) > 0 {
			out = append(out, Panel{p.Title, series})
		}
	}
	return out
}

// fill adds panels, and puts their series in front of the legend.
func (c *Chart) fill(panels []Panel, build func(i int, p Panel) *plot.Plot) (*Chart, error) {
	if len(panels) == 0 {
		return nil, &EmptyError{Chart: c.Title, Notes: c.Notes}
	}
	for i, p := range panels {
		c.Panels = append(c.Panels, build(i, p))
	}
	c.first = panels[0].Series
	legend, same := entries(panels)
	c.legend, c.Same = append(legend, c.legend...), same
	return c, nil
}

// Text sizes in points. A Wide chart is about 1000 points wide.
const (
	titleSize  = 17
	headSize   = 13
	textSize   = 12
	legendSize = 12.5
)

func sans(size font.Length, weight xfont.Weight) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size}
}

func textStyle(size font.Length, weight xfont.Weight, t role) draw.TextStyle {
	return draw.TextStyle{Color: t, Font: sans(size, weight), Handler: plot.DefaultTextHandler,
		YAlign: draw.YTop}
}

func newPlot(title, xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle.Font = sans(headSize, xfont.WeightBold)
	p.Title.TextStyle.Color = ink
	p.Title.Padding = 6
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(textSize, xfont.WeightNormal)
		a.Label.TextStyle.Color = muted
		a.Label.Padding = 4
		a.Tick.Label.Font = sans(textSize, xfont.WeightNormal)
		a.Tick.Label.Color = muted
		a.Tick.Length = 0
		a.LineStyle = draw.LineStyle{}
		a.Padding = 0
	}
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	p.X.LineStyle = draw.LineStyle{Color: rule, Width: 1}
	p.X.Padding = 3
	p.Add(gridlines{})
	return p
}

func logSeconds(p *plot.Plot, lo, hi float64) {
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = logTicks(Seconds)
	p.Y.Min, p.Y.Max = logRange(lo, hi)
}

// Growing points count only if there are no others.
func rangeOf(panels []Panel) (xmin, xmax, ymin, ymax float64) {
	all := seriesOf(panels)
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for i := range s.X {
			xmin, xmax = min(xmin, s.X[i]), max(xmax, s.X[i])
			if s.grows(i) {
				continue
			}
			ymin, ymax = min(ymin, s.Y[i]), max(ymax, s.Y[i])
			if s.Lo != nil && !math.IsNaN(s.Lo[i]) {
				ymin, ymax = min(ymin, s.Lo[i]), max(ymax, s.Hi[i])
			}
		}
	}
	if ymin > ymax {
		for _, s := range all {
			ymin, ymax = min(ymin, slices.Min(s.Y)), max(ymax, slices.Max(s.Y))
		}
	}
	return xmin, xmax, ymin, ymax
}

func seriesOf(panels []Panel) (all []Series) {
	for _, p := range panels {
		all = append(all, p.Series...)
	}
	return all
}

func (c *Chart) alt() string {
	return cmp.Or(c.Alt, strings.TrimSuffix(c.Title+". "+c.Subtitle, ". "))
}
