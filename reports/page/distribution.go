package page

import (
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/charts"
)

func (in *reportInput) distributionChart(s Sweep) (*charts.Chart, error) {
	var panels []charts.Panel
	for _, x := range s.SpreadOut(panelsOfDistributions) {
		panel := charts.Panel{Title: s.Place(x)}
		for _, c := range keepingUp(s.CellsAt(x)) {
			if h := in.responses[c]; h != nil && h.TotalCount() > 0 {
				panel.Series = append(panel.Series, distribution(c, h))
			}
		}
		for _, c := range keepingUp(s.CellsAt(x)) {
			if in.responses[c] != nil {
				panel.Series = append(panel.Series, theoryOfDistribution(c))
			}
		}
		panels = append(panels, panel)
	}
	if !slices.ContainsFunc(panels, func(p charts.Panel) bool { return len(p.Series) > 0 }) {
		return nil, nil
	}
	return charts.Distribution("Distribution of the response", panels)
}

// resolvable is the number of tasks beyond a quantile that the runner requires to report it: p99
// needs 368 tasks.
const resolvable = 3.68

func distribution(c *Cell, h *hdrhistogram.Histogram) charts.Series {
	s := charts.Series{Name: c.Strategy, Style: c.Style}
	end := max(math.Log10(float64(h.TotalCount())/resolvable), 0)
	add := func(q float64) {
		s.X = append(s.X, q)
		s.Y = append(s.Y, float64(h.ValueAtQuantile(100*q))/1e9)
	}
	const step = 0.05 // in nines
	for i := 0; float64(i)*step <= end; i++ {
		add(1 - math.Pow(10, -float64(i)*step))
	}
	if end >= math.Log10(2) {
		add(0.5)
	}
	add(1 - math.Pow(10, -end))
	return s
}

func theoryOfDistribution(c *Cell) charts.Series {
	s := charts.Series{Name: c.Strategy, Style: c.Style, Theory: true}
	for _, q := range metric.Quantiles {
		if v := c.Value(metric.Theory(q.Unit(metric.Response))); !math.IsNaN(v) {
			s.X, s.Y = append(s.X, q.P), append(s.Y, v)
		}
	}
	return s
}
