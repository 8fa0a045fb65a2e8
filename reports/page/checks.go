package page

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// against shows an exact value, and below it how far the measured one is from it.
func against(measured, exact string) func(*reportCell) reportValue {
	return func(c *reportCell) reportValue {
		e, ok := c.Estimate(exact)
		if !ok {
			return absent
		}
		v := reportValue{Text: quantity.Metric(measured, e.Mid)}
		m, ok := c.Estimate(measured)
		switch {
		case !ok:
		case e.Mid != 0:
			v.Below = percentDiff(m.Mid/e.Mid - 1)
		case m.Mid == 0:
			v.Below = "0 %"
		default:
			v.Below = "+" + quantity.Metric(measured, m.Mid)
		}
		return v
	}
}

func oracleValue(c *reportCell) reportValue {
	e, _ := c.Estimate("oracle-max-diff-sec")
	if e.Hi == 0 {
		return reportValue{Text: "equal", Below: "to the ns"}
	}
	v := reportValue{Text: quantity.Seconds(e.Hi), Below: "at most"}
	if mean, measured := c.Value("oracle-mean-wait-sec"), c.Value("mean-wait-sec"); mean > 0 &&
		!math.IsNaN(measured) {
		v.Below = "mean " + percentDiff(measured/mean-1)
	}
	return v
}

// exactly is the column of a metric that says what another should be.
func exactly(head, measured, exact string) column {
	return column{head: head, unit: exact, value: against(measured, exact),
		show: func(cells []*reportCell, _ string) bool { return hasMetric(cells, measured) }}
}

var exactColumns = []column{
	exactly("mean wait", "mean-wait-sec", "theory-mean-wait-sec"),
	exactly("waited", "waited/op", "theory-waited/op"),
	exactly("p50 response", "p50-response-sec", "theory-p50-response-sec"),
	exactly("p90 response", "p90-response-sec", "theory-p90-response-sec"),
	exactly("p99 response", "p99-response-sec", "theory-p99-response-sec"),
	exactly("p99.9 response", "p99.9-response-sec", "theory-p99.9-response-sec"),
	exactly("shed", "shed/op", "theory-shed/op"),
	exactly("throughput", "ops/s", "theory-ops/s"),
	exactly("mean wait, oracle", "mean-wait-sec", "oracle-mean-wait-sec"),
}

// checks makes the table of measured against exact values; false where nothing exact is known.
func (g *reportGroup) checks() (reportTable, bool) {
	t := reportTable{Caption: "Measured against exact values", Folded: true}
	columns := g.shown(exactColumns)
	g.fill(&t, columns)
	for i := range t.Bodies {
		b := &t.Bodies[i]
		b.Rows = slices.DeleteFunc(b.Rows, func(r reportRow) bool {
			return !slices.ContainsFunc(r.Cells, func(v reportValue) bool { return v != absent })
		})
	}
	t.Bodies = slices.DeleteFunc(t.Bodies, func(b reportBody) bool { return len(b.Rows) == 0 })
	return t, len(columns) > 0
}
