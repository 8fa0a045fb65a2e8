package proof

import (
	_ "embed"
	"errors"
	"math"

	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

var (
	//go:embed table.html.tmpl
	tableText string

	tableTemplate = shell.Template("proof", tableText)
)

// A table is a section with a table.
type table struct {
	ID, Title, Text string
	Heads           []string
	Rows            [][]string
	Said            bool // the last column is words
}

func (t table) section() (shell.Section, error) {
	body, err := shell.Render(tableTemplate, "table", t)
	return shell.Section{ID: t.ID, Title: t.Title, Body: body}, err
}

// A row is a value in a figure, of one of its kinds.
type row struct {
	name  string
	kind  int
	value float64 // NaN: not drawn
}

// rows draws values below each other, each kind in its colour; nil where there is none to draw.
func rows(
	id, title, caption string, kinds []string, all []row, axis charts.Axis, levels []charts.Level,
) (*shell.Figure, error) {
	panel := charts.RowPanel{X: axis, Levels: levels}
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	for kind, name := range kinds {
		series, some := charts.RowSeries{Name: name, Style: kind}, false
		for _, r := range all {
			v := charts.RowValue{Mid: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			if r.kind == kind {
				v.Mid = r.value
				some = some || !math.IsNaN(r.value)
			}
			series.Values = append(series.Values, v)
		}
		if some {
			panel.Series = append(panel.Series, series)
		}
	}
	chart, err := charts.Rows(title, names, []charts.RowPanel{panel})
	if _, empty := errors.AsType[*charts.EmptyError](err); empty {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	f, err := shell.Chart(chart)
	f.ID, f.Own, f.Caption = id, true, caption
	return &f, err
}
