package page

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

func rankingChart(g *Group, s Sweep) (*charts.Chart, error) {
	if len(s.At) != 1 || len(s.Cells) < 2 {
		return nil, nil
	}
	var rows []string
	panel := charts.RowPanel{X: charts.Axis{Label: "p99 response (log scale)", Log: true,
		Format: text.Seconds}}
	series := charts.RowSeries{Name: "p99 response"}
	for _, class := range forRules(g, s).Classes() {
		for _, c := range s.Cells {
			e, ok := c.Estimate(metric.P99Response)
			if c.Strategy != class.Names[0] || !ok || !(e.Mid > 0) {
				continue
			}
			v := charts.RowValue{Mid: e.Mid, Lo: math.NaN(), Hi: math.NaN()}
			if len(c.Cell) > 1 {
				v.Lo, v.Hi = e.Lo, e.Hi
			}
			rows, series.Values = append(rows, class.String()), append(series.Values, v)
			series.Sure = append(series.Sure, c.Judged() && !isHollow(c, metric.P99Response))
		}
	}
	if len(rows) < 2 {
		return nil, nil
	}
	panel.Series, panel.Levels = []charts.RowSeries{series}, bounds(g, metric.P99Response)
	return charts.Rows("p99 response by "+g.Varies(), rows, []charts.RowPanel{panel})
}

func bounds(g *Group, unit string) []charts.Level {
	all := deadlines(g)
	for _, b := range g.Objectives {
		if b.Unit == unit {
			all = append(all, charts.Level{Name: "objective " + text.Trimmed(unit, b.Value),
				Y: b.Value})
		}
	}
	return all
}

func deadlines(g *Group) []charts.Level {
	d, err := time.ParseDuration(g.Key("deadline"))
	if err != nil || d <= 0 {
		return nil
	}
	return []charts.Level{{Name: "deadline " + text.Seconds(d.Seconds()), Y: d.Seconds()}}
}

func rankingCaption(s Sweep, _ *charts.Chart) string {
	text := "Strategies with identical numbers share a row."
	for _, hint := range hollow(s.Cells, metric.P99Response) {
		text += " " + hint
	}
	if _, q, r := highest(s); len(r) > 1 {
		text = fmt.Sprintf("The p99 response%s %s. %s", rankedPart(r, s.Cells),
			between(r, s.Cells, q), text)
	}
	return text
}
