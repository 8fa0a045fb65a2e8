package evidence

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
	"github.com/poolbench/poolbench/reports/page/shell"
)

type Figure struct {
	Name, Title, Subtitle string
	Caption               []string // its sentences; empty ones are left out

	chart *charts.Chart
	table *shell.Table
	err   error
}

// Planes leaves out curves without points, and draws nothing if only theory is left.
func (f Figure) Planes(planes ...charts.Plane) Figure {
	measured := false
	for i := range planes {
		planes[i].Series = slices.DeleteFunc(planes[i].Series, func(s charts.Series) bool {
			measured = measured || len(s.X) > 0 && !s.Theory
			return len(s.X) == 0
		})
	}
	if !measured {
		return Figure{}
	}
	return f.with(charts.Planes(f.Title, planes))
}

func (f Figure) Rows(rows []string, panels ...charts.RowPanel) Figure {
	return f.with(charts.Rows(f.Title, rows, panels))
}

func (f Figure) Finding(of decide.Finding) Figure {
	if of.Table == nil {
		return Figure{}
	}
	t := shell.Table{Of: of.Table.Heads[0], Heads: of.Table.Heads[1:],
		Parts: []shell.TablePart{{}}}
	for _, cells := range of.Table.Rows {
		row := shell.TableRow{Name: cells[0]}
		for _, cell := range cells[1:] {
			row.Cells = append(row.Cells, shell.TableCell{Text: cell})
		}
		t.Parts[0].Rows = append(t.Parts[0].Rows, row)
	}
	f.table = &t
	return f
}

// values returns a row's interval for each panel, or nil.
func AddRows(
	panels []charts.RowPanel, name string, style, rows int, values func(row int) []Interval,
) {
	series := make([]charts.RowSeries, len(panels))
	for row := range rows {
		of := values(row)
		for j := range panels {
			v := Point(math.NaN())
			if of != nil {
				v = of[j]
			}
			series[j].Values = append(series[j].Values, v.Row())
		}
	}
	for j, s := range series {
		s.Name, s.Style = name, style
		panels[j].Series = append(panels[j].Series, s)
	}
}

func (f Figure) with(c *charts.Chart, err error) Figure {
	f.chart, f.err = c, err
	return f
}

func (f Figure) Page() (shown page.Figure, ok bool, err error) {
	if _, empty := errors.AsType[*charts.EmptyError](f.err); empty {
		return shown, false, nil
	} else if f.chart == nil && f.table == nil {
		return shown, false, f.err
	}
	said := slices.DeleteFunc(f.Caption, func(text string) bool { return text == "" })
	shown = page.Figure{Name: f.Name, Title: f.Title, Subtitle: f.Subtitle, Chart: f.chart,
		Table: f.table, Caption: strings.Join(said, " ")}
	if f.chart != nil {
		f.chart.Subtitle = f.Subtitle
	}
	return shown, true, nil
}

type Number func(sc bench.Scenario) Interval

func (m *Measured) MedianOf(unit string) Number {
	return func(sc bench.Scenario) Interval { return m.Median(sc, unit) }
}

func (m *Measured) MeanOf(unit string) Number {
	return func(sc bench.Scenario) Interval { return m.Mean(sc, unit) }
}

func (m *Measured) Named(sc bench.Scenario) charts.Series {
	return charts.Series{Name: sc.Strategy.String(), Style: m.Style(sc)}
}

// Curve adds the number of each scenario that was run to a series, over x.
func Curve[X int | float64](
	s charts.Series, x []X, cells []bench.Scenario, number Number,
) charts.Series {
	for i, sc := range cells {
		AddPoint(&s, float64(x[i]), number(sc))
	}
	return s
}

func MedianCurve[X int | float64](
	m *Measured, x []X, cells []bench.Scenario, unit string,
) charts.Series {
	return Curve(m.Named(cells[0]), x, cells, m.MedianOf(unit))
}

func Exact(beside charts.Series, x []float64, y func(x float64) float64) charts.Series {
	s := charts.Series{Name: beside.Name, Style: beside.Style, Theory: true}
	for _, at := range x {
		if v := y(at); !math.IsNaN(v) {
			s.X, s.Y = append(s.X, at), append(s.Y, v)
		}
	}
	return s
}

func Steps(from, to, step float64) (all []float64) {
	for v := from; v <= to+1e-9; v += step {
		all = append(all, v)
	}
	return all
}

// Each value is √2 times the one before.
func Doublings(from, to float64) (all []float64) {
	for v := from; v <= to*1.001; v *= math.Sqrt2 {
		all = append(all, v)
	}
	return all
}

func Plane(title string, x, y charts.Axis, series ...charts.Series) charts.Plane {
	return charts.Plane{Panel: charts.Panel{Title: title, Series: series}, X: x, Y: y}
}

func Log(label string, format func(float64) string, marks ...float64) charts.Axis {
	return charts.Axis{Label: label + " (log scale)", Log: true, Format: format, Marks: marks}
}

func LogZero(name, label string, marks []float64) charts.Axis {
	return charts.Axis{Label: label + " (log scale)", Log: true, Zero: true, Name: name,
		Marks: marks}
}

func AddPoint(s *charts.Series, x float64, in Interval) {
	if !math.IsNaN(in.Mid) {
		s.X, s.Y = append(s.X, x), append(s.Y, in.Mid)
		s.Lo, s.Hi = append(s.Lo, in.Lo), append(s.Hi, in.Hi)
	}
}

func (f Figure) Stacks(label string, stacks []charts.Stack, part func(i int) string) Figure {
	return f.with(charts.Stacks(f.Title, label, stacks, part))
}
