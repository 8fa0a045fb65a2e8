package evidence

import (
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page"
)

// A Figure is what a study draws, before there is a chart in it.
type Figure struct {
	Name, Title, Subtitle string
	Caption               []string // its sentences; empty ones are left out
}

// Planes draws curves. Those without a point are left out; where only theory is left, the error is
// a *charts.EmptyError.
func (f Figure) Planes(planes ...charts.Plane) (page.Figure, error) {
	measured := false
	for i := range planes {
		planes[i].Series = slices.DeleteFunc(planes[i].Series, func(s charts.Series) bool {
			measured = measured || len(s.X) > 0 && !s.Theory
			return len(s.X) == 0
		})
	}
	if !measured {
		return page.Figure{}, &charts.EmptyError{Chart: f.Name}
	}
	return f.with(charts.Planes(f.Title, planes))
}

// Rows draws a table of points.
func (f Figure) Rows(rows []string, panels ...charts.RowPanel) (page.Figure, error) {
	return f.with(charts.Rows(f.Title, rows, panels))
}

// with puts subtitle and caption to a chart.
func (f Figure) with(c *charts.Chart, err error) (page.Figure, error) {
	if err != nil {
		return page.Figure{}, err
	}
	c.Subtitle = f.Subtitle
	said := slices.DeleteFunc(f.Caption, func(text string) bool { return text == "" })
	return page.Figure{Name: f.Name, Chart: c, Caption: strings.Join(said, " ")}, nil
}

// AddPoint adds a point with its interval, if there is one.
func AddPoint(s *charts.Series, x float64, in Interval) {
	if !math.IsNaN(in.Mid) {
		s.X, s.Y = append(s.X, x), append(s.Y, in.Mid)
		s.Lo, s.Hi = append(s.Lo, in.Lo), append(s.Hi, in.Hi)
	}
}

// Stacks draws bars of parts.
func (f Figure) Stacks(
	label string, stacks []charts.Stack, part func(i int) string,
) (page.Figure, error) {
	return f.with(charts.Stacks(f.Title, label, stacks, part))
}
