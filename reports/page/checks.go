package page

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// against shows the exact value above the relative difference of the measured value.
func against(measured, exact string) func(*Cell) Value {
	return func(c *Cell) Value {
		e, ok := c.Estimate(exact)
		if !ok {
			return absent
		}
		v := Value{Text: text.Metric(measured, e.Mid)}
		m, ok := c.Estimate(measured)
		switch {
		case !ok:
		case e.Mid != 0:
			v.Below = percentDiff(m.Mid/e.Mid - 1)
		case m.Mid == 0:
			v.Below = "0 %"
		default:
			v.Below = "+" + text.Metric(measured, m.Mid)
		}
		return v
	}
}

func oracleValue(c *Cell) Value {
	e, _ := c.Estimate(metric.OracleMaxDiff)
	if e.Hi == 0 {
		return Value{Text: "equal", Below: "to the ns"}
	}
	v := Value{Text: text.Seconds(e.Hi), Below: "at most"}
	if mean, measured := c.Value(metric.OracleMeanWait), c.Value(metric.MeanWait); mean > 0 &&
		!math.IsNaN(measured) {
		v.Below = "mean " + percentDiff(measured/mean-1)
	}
	return v
}

func exactly(head, measured, exact string) Column {
	return Column{Head: head, Unit: exact, Value: against(measured, exact),
		show: func(cells []*Cell, _ string) bool { return hasMetric(cells, measured) }}
}

var exactColumns = []Column{
	exactly("mean wait", metric.MeanWait, metric.TheoryMeanWait),
	exactly("waited", metric.Waited, metric.TheoryWaited),
	exactly("p50 response", metric.P50Response, metric.TheoryP50Response),
	exactly("p90 response", metric.P90Response, metric.TheoryP90Response),
	exactly("p99 response", metric.P99Response, metric.TheoryP99Response),
	exactly("p99.9 response", metric.P999Response, metric.TheoryP999Response),
	exactly("shed", metric.Shed, metric.TheoryShed),
	exactly("gave up", metric.GaveUp, metric.TheoryGaveUp),
	exactly("gave up started", metric.GaveUpStarted, metric.TheoryGaveUpStarted),
	exactly("throughput", metric.Throughput, metric.TheoryThroughput),
	exactly("mean wait, oracle", metric.MeanWait, metric.OracleMeanWait),
}

// Checks returns the table of measured and exact values, or nil without exact values.
func Checks(g *Group) *Table {
	columns := shownColumns(g, exactColumns)
	if len(columns) == 0 {
		return nil
	}
	t := &Table{Caption: "Measured against exact values", Folded: true}
	fill(g, t, columns)
	t.removeRows(func(r Row) bool {
		return !slices.ContainsFunc(r.Cells, func(v Value) bool { return v != absent })
	})
	return t
}
