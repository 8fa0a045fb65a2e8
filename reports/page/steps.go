package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/results"
)

var stepColumns = []Column{
	{Head: "count", Unit: metric.Count, format: func(v float64) string { return fmt.Sprintf("%.0f", v) },
		Hint: "requests of the step, or sessions begun"},
	{Head: "mean response", Unit: metric.MeanResponse,
		Hint: "from the due time of the step; for sessions, the sum over the steps"},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "shed", Unit: metric.Shed, Hint: "by the strategy"},
	{Head: "failed", Unit: metric.Failed, Hint: "by status, check or capture, throttled or abandoned"},
	{Head: "status", Hint: "count of each"},
	{Head: "not sent", Unit: metric.Unsent, Hint: "share of the sessions that ended before"},
	{Head: "length", Unit: metric.MeanLength,
		Hint: "mean length of a session, including think times"},
}

var urlColumns = []Column{
	{Head: "requests", Unit: metric.Count,
		format: func(v float64) string { return fmt.Sprintf("%.0f", v) }},
	{Head: "failed", Unit: metric.Failed, Hint: "by status or check, throttled or abandoned"},
	{Head: "shed", Unit: metric.Shed, Hint: "by the strategy"},
	{Head: "p50", Unit: metric.P50Response, Hint: "of the response of completed requests"},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "status", Hint: "count of each"},
	{Head: "sent", Unit: metric.SentBytes, Hint: "bytes of bodies per request"},
	{Head: "received", Unit: metric.ReceivedBytes, Hint: "bytes of bodies per request"},
}

var stageColumns = []Column{
	{Head: "offered", Unit: metric.Offered, Hint: "requests that were due, per second"},
	{Head: "failed", Unit: metric.Failed, Hint: "by status or check, throttled or abandoned"},
	{Head: "shed", Unit: metric.Shed, Hint: "by the strategy"},
	{Head: "p50", Unit: metric.P50Response, Hint: "of the response of completed requests"},
	{Head: "p95", Unit: metric.P95Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "open", Unit: metric.BacklogTasks,
		format: func(v float64) string { return fmt.Sprintf("%.0f", v) },
		Hint:   "requests in flight or waiting at the end of the stage"},
}

func steps(g *Group) (all []*Table) {
	if g.Study >= 0 {
		return nil
	}
	stages := func(run *results.Run) []results.Part {
		if run.Base() != "Attack" {
			return nil
		}
		return results.StagesOf(run)
	}
	if t := parts(g, &Table{Caption: "By stage", Of: "stage"}, stageColumns, stages); t != nil {
		all = append(all, t)
	}
	t, columns := &Table{Caption: "By URL", Of: "URL"}, urlColumns
	if hasMetric(g.Cells, metric.Sessions+metric.Count) {
		t.Caption, t.Of, columns = "Sessions, step by step", "step", stepColumns
	}
	if t := parts(g, t, columns, results.PartsOf); t != nil {
		all = append(all, t)
	}
	return all
}

// parts returns nil if the attack has no parts.
func parts(
	g *Group, t *Table, columns []Column, partsOf func(*results.Run) []results.Part,
) *Table {
	known := make([]bool, len(columns))
	for _, body := range bodies(g) {
		for _, c := range body.cells {
			b := Body{}
			if len(g.Cells) > 1 {
				if b.Title = row(c).Name; body.title != "" {
					b.Title += ", " + body.title
				}
			}
			add := func(name, prefix string) {
				r := Row{Name: name}
				for i, col := range columns {
					v := statusValue(c, prefix)
					if col.Unit != "" {
						col.Unit = prefix + col.Unit
						v = col.value(c)
					}
					known[i] = known[i] || v != absent && (col.Unit != prefix+metric.Shed ||
						c.Value(col.Unit) > 0)
					r.Cells = append(r.Cells, v)
				}
				b.Rows = append(b.Rows, r)
			}
			for _, part := range partsOf(c.Cell[0]) {
				add(part.Name, part.Prefix)
			}
			if t.Of == "step" {
				add("whole session", metric.Sessions)
			}
			if len(b.Rows) > 0 {
				t.Bodies = append(t.Bodies, b)
			}
		}
	}
	if len(t.Bodies) == 0 {
		return nil
	}
	for i, col := range columns {
		if known[i] {
			t.Heads = append(t.Heads, Head{col.Head, col.Hint})
		}
	}
	for _, b := range t.Bodies {
		for i := range b.Rows {
			var cells []Value
			for k, v := range b.Rows[i].Cells {
				if known[k] {
					cells = append(cells, v)
				}
			}
			b.Rows[i].Cells = cells
		}
	}
	return t
}

// statusValue counts each status of the requests with that prefix of metrics, over all repetitions.
func statusValue(c *Cell, prefix string) Value {
	var words []string
	for _, s := range results.Statuses(c.Cell, prefix) {
		words = append(words, fmt.Sprintf("%s × %.0f", s.Status, math.Round(s.Count)))
	}
	if len(words) == 0 {
		return absent
	}
	return Value{Text: strings.Join(words, ", ")}
}
