package shell

import (
	"math"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// A Row is a value in a figure, with its kind.
type Row struct {
	Name   string
	Kind   int
	Value  float64 // NaN: not drawn
	Lo, Hi float64 // both 0: no interval
}

// Rows draws values in rows with a colour for each kind, or returns nil without values.
func Rows(
	id, title, caption string, kinds []string, all []Row, axis charts.Axis, levels []charts.Level,
) (*Figure, error) {
	panel := charts.RowPanel{X: axis, Levels: levels}
	names := text.Texts(all, func(r Row) string { return r.Name })
	for kind, name := range kinds {
		series, some := charts.RowSeries{Name: name, Style: kind}, false
		for _, r := range all {
			v := charts.RowValue{Mid: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			if r.Kind == kind {
				v.Mid = r.Value
				if r.Lo != 0 || r.Hi != 0 {
					v.Lo, v.Hi = r.Lo, r.Hi
				}
				some = some || !math.IsNaN(r.Value)
			}
			series.Values = append(series.Values, v)
		}
		if some {
			panel.Series = append(panel.Series, series)
		}
	}
	chart, err := charts.Rows(title, names, []charts.RowPanel{panel})
	return Drawn(id, caption, chart, err)
}
