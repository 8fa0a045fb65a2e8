package page

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/reports/charts"
)

// against shows an exact value, and below it how far the measured one is from it.
func against(c *reportCell, measured, exact string, format func(float64) string) reportValue {
	e, ok := c.Estimate(exact)
	if !ok {
		return absent
	}
	v := reportValue{Text: format(e.Mid)}
	m, ok := c.Estimate(measured)
	switch {
	case !ok:
	case e.Mid != 0:
		v.Below = percentDiff(m.Mid/e.Mid - 1)
	case m.Mid == 0:
		v.Below = "0 %"
	default:
		v.Below = "+" + format(m.Mid)
	}
	return v
}

func oracleValue(c *reportCell) reportValue {
	e, _ := c.Estimate("oracle-max-diff-sec")
	if e.Hi == 0 {
		return reportValue{Text: "equal", Below: "to the ns"}
	}
	v := reportValue{Text: charts.Seconds(e.Hi), Below: "at most"}
	if mean, measured := c.Value("oracle-mean-wait-sec"), c.Value("mean-wait-sec"); mean > 0 &&
		!math.IsNaN(measured) {
		v.Below = "mean " + percentDiff(measured/mean-1)
	}
	return v
}

// An exactMetric is a metric with a metric that says what it should be.
type exactMetric struct {
	head, measured, exact string
	format                func(float64) string
}

var exactMetrics = []exactMetric{
	{"mean wait", "mean-wait-sec", "theory-mean-wait-sec", charts.Seconds},
	{"waited", "waited/op", "theory-waited/op", shareText},
	{"p50 response", "p50-response-sec", "theory-p50-response-sec", charts.Seconds},
	{"p90 response", "p90-response-sec", "theory-p90-response-sec", charts.Seconds},
	{"p99 response", "p99-response-sec", "theory-p99-response-sec", charts.Seconds},
	{"p99.9 response", "p99.9-response-sec", "theory-p99.9-response-sec", charts.Seconds},
	{"shed", "shed/op", "theory-shed/op", shareText},
	{"throughput", "ops/s", "theory-ops/s", perSecond},
	{"mean wait, oracle", "mean-wait-sec", "oracle-mean-wait-sec", charts.Seconds},
}

// checks makes the table of measured against exact values; false where nothing exact is known.
func (g *reportGroup) checks() (reportTable, bool) {
	t := reportTable{Caption: "Exact values, and how far the measured ones are from them"}
	shown := slices.DeleteFunc(slices.Clone(exactMetrics), func(m exactMetric) bool {
		return !hasMetric(g.cells, m.exact) || !hasMetric(g.cells, m.measured)
	})
	var columns []column
	for _, m := range shown {
		columns = append(columns, column{head: m.head, unit: m.exact,
			value: func(c *reportCell) reportValue {
				return against(c, m.measured, m.exact, m.format)
			}})
	}
	g.fill(&t, columns)
	for i := range t.Bodies {
		b := &t.Bodies[i]
		b.Rows = slices.DeleteFunc(b.Rows, func(r reportRow) bool {
			return !slices.ContainsFunc(r.Cells, func(v reportValue) bool { return v != absent })
		})
	}
	t.Bodies = slices.DeleteFunc(t.Bodies, func(b reportBody) bool { return len(b.Rows) == 0 })
	return t, len(shown) > 0
}
