package gate

import (
	"math"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/results"
)

func chartName(p verdict.Pairs) string { return p.Row.Benchmark + " · " + p.Row.Metric }

// ratiosOf omits pairs with a 0.
func ratiosOf(p verdict.Pairs, from, to int) (numbers, ratios []float64) {
	for i := from; i < min(to, len(p.Old)); i++ {
		if p.Old[i] > 0 && p.New[i] > 0 {
			numbers, ratios = append(numbers, float64(i+1)), append(ratios, p.New[i]/p.Old[i])
		}
	}
	return numbers, ratios
}

// A margin of 2 % is a factor of 1.02 in time, and of 1/1.02 in throughput.
func towardsWorse(share float64, better verdict.Direction) float64 {
	if better == verdict.HigherIsBetter {
		return 1 / (1 + share)
	}
	return 1 + share
}

// The axis is logarithmic and includes no change.
func changeAxis(label string) charts.Axis {
	return charts.Axis{Label: label + " (log scale)", Log: true, Format: percent[float64],
		Reach: []float64{1}}
}

func estimates(r *verdict.Report, pairs []verdict.Pairs) (*charts.Chart, error) {
	names := make([]string, len(pairs))
	var panels []charts.RowPanel
	for _, better := range []verdict.Direction{verdict.LowerIsBetter, verdict.HigherIsBetter} {
		panel := charts.RowPanel{Title: results.Direction(better).String() + " is better",
			X: changeAxis("change, new to old"), Levels: []charts.Level{
				{Name: "tolerance", Y: towardsWorse(r.Options.Margin, better)},
				{Name: "to exclude", Y: towardsWorse(r.Options.Promise, better)}}}
		values := make([]charts.RowValue, len(pairs))
		for i, p := range pairs {
			names[i] = chartName(p)
			values[i] = charts.RowValue{Mid: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			ratio, lo, hi := float64(p.Row.Ratio), float64(p.Row.Lo), float64(p.Row.Hi)
			if p.Row.Better != better || math.IsInf(ratio, 0) {
				continue
			}
			values[i].Mid = ratio
			if lo > 0 && !math.IsInf(hi, 1) {
				values[i].Lo, values[i].Hi = lo, hi
			}
		}
		panel.Series = []charts.RowSeries{{Name: "estimate", Values: values}}
		panels = append(panels, panel)
	}
	return charts.Rows("Estimates", names, panels)
}

func everyPair(r *verdict.Report, pairs []verdict.Pairs) (*charts.Chart, error) {
	var planes []charts.Plane
	for _, p := range pairs {
		var series []charts.Series
		for style, part := range []struct {
			name     string
			from, to int
		}{{"screening", 0, p.Screened}, {"fresh", p.Screened, len(p.Old)}} {
			// A line must not join the pairs, so each is a series of one point with a common name
			// and look.
			x, y := ratiosOf(p, part.from, part.to)
			for i := range x {
				series = append(series,
					charts.Series{Name: part.name, Style: style, X: x[i : i+1], Y: y[i : i+1]})
			}
		}
		levels := []charts.Level{{Name: "tolerance", Y: towardsWorse(p.Margin, p.Row.Better)},
			{Name: "to exclude", Y: towardsWorse(r.Options.Promise, p.Row.Better)}}
		if ratio := float64(p.Row.Ratio); !math.IsInf(ratio, 0) {
			levels = append(levels, charts.Level{Name: "estimate", Y: ratio})
		}
		x := charts.Axis{Label: "pair", Reach: []float64{0, float64(len(p.Old) + 1)}, Name: "pair"}
		planes = append(planes, charts.Plane{
			Panel: charts.Panel{Title: chartName(p) + ": " + string(p.Row.Verdict), Series: series},
			X:     x, Y: changeAxis("change, new to old"), Levels: levels})
	}
	return charts.Planes("Every pair", planes)
}
