package reports

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// A reportTable is ready for the template: every word in its place.
type reportTable struct {
	Caption string
	Heads   []reportHead
	Bodies  []reportBody
}

// Span is the number of columns, that of the names included.
func (t reportTable) Span() int { return len(t.Heads) + 1 }

type reportHead struct{ Text, Hint string }

// reportBody is a part of the table under a heading of its own: one load.
type reportBody struct {
	Title string
	Rows  []reportRow
}

type reportRow struct {
	Name   string
	Style  int
	Swatch template.HTML // of the series; empty where there are no charts
	Broken bool          // a run of it broke a law
	Cells  []reportValue
}

// reportValue is a number with what stands below it: an interval, or a comparison.
type reportValue struct{ Text, Below string }

var absent = reportValue{Text: "–"}

// A column of the main table.
type column struct {
	head, hint string
	unit       string
	format     func(float64) string
	// show says whether the column tells the group anything; nil: whenever there are values.
	show func(cells []*reportCell) bool
	// value replaces the plain one: the estimate of unit with its interval.
	value func(c *reportCell) reportValue
}

func reportColumns() []column {
	share := shareText
	anyAbove0 := func(unit string) func([]*reportCell) bool {
		return func(cells []*reportCell) bool {
			return slices.ContainsFunc(cells, func(c *reportCell) bool { e, ok := c.estimate(unit); return ok && e.hi > 0 })
		}
	}
	perSecond := func(v float64) string { return charts.Count(v) + " /s" }
	bytes := func(v float64) string { return charts.Count(v) + " B" }
	return []column{
		{head: "throughput", hint: "tasks completed per second", unit: "ops/s", format: perSecond},
		{head: "goodput", hint: "tasks completed in time, without error, per second", unit: "goodput-ops/s", format: perSecond,
			show: func(cells []*reportCell) bool { return !sameGoodput(cells) }},
		{head: "p50 response", hint: "half of the tasks take longer, from due to end", unit: "p50-response-sec", format: charts.Seconds},
		{head: "p99 response", hint: "one task in 100 takes longer, from due to end", unit: "p99-response-sec", format: charts.Seconds},
		{head: "p99.9 response", hint: "one task in 1000 takes longer, from due to end", unit: "p99.9-response-sec", format: charts.Seconds},
		{head: "p99 against theory", hint: "exact value, and how far the measured p99 is from it", unit: "theory-p99-response-sec",
			value: func(c *reportCell) reportValue {
				return against(c, "p99-response-sec", "theory-p99-response-sec", charts.Seconds)
			}},
		{head: "mean wait", hint: "response less time inside the task", unit: "mean-wait-sec", format: charts.Seconds},
		{head: "wait against oracle", hint: "largest difference of a task's wait from the replay of its run", unit: "oracle-max-diff-sec", format: charts.Seconds,
			value: oracleValue},
		{head: "waited", hint: "share of the tasks that waited at all", unit: "waited/op", format: share},
		{head: "shed", hint: "share refused by the strategy", unit: "shed/op", format: share, show: anyAbove0("shed/op")},
		{head: "throttled", hint: "share refused by the target", unit: "throttled/op", format: share, show: anyAbove0("throttled/op")},
		{head: "failed", hint: "share that ended in an error", unit: "failed/op", format: share, show: anyAbove0("failed/op")},
		{head: "abandoned", hint: "share given up while it ran or waited", unit: "abandoned/op", format: share, show: anyAbove0("abandoned/op")},
		{head: "attempts", hint: "attempts per task", unit: "attempts/op", format: charts.Count,
			show: func(cells []*reportCell) bool {
				return slices.ContainsFunc(cells, func(c *reportCell) bool { v := c.value("attempts/op"); return v != 1 && !math.IsNaN(v) })
			}},
		{head: "utilisation", hint: "time inside tasks, of the time that the limit allows", unit: "utilisation", format: share},
		{head: "makespan", hint: "first due to last end", unit: "makespan-sec", format: charts.Seconds,
			show: func(cells []*reportCell) bool { // of closed arrivals; with open ones it echoes the plan
				return slices.ContainsFunc(cells, func(c *reportCell) bool { return math.IsNaN(c.load) && math.IsNaN(c.rate) })
			}},
		{head: "p99 lag", hint: "how late the generator itself was", unit: "p99-lag-sec", format: charts.Seconds, show: anyAbove0("p99-lag-sec")},
		{head: "CPU", hint: "CPU time per task", unit: "cpu-sec/op", format: charts.Seconds},
		{head: "memory", hint: "bytes allocated per task", unit: "B/op", format: bytes},
		{head: "allocations", hint: "allocations per task", unit: "allocs/op", format: charts.Count},
	}
}

// table makes the main table of a group.
func (g *reportGroup) table() reportTable {
	columns := slices.DeleteFunc(reportColumns(), func(col column) bool {
		return !hasMetric(g.cells, col.unit) || col.show != nil && !col.show(g.cells)
	})
	if g.foreign() {
		columns = g.foreignColumns()
	}
	t := reportTable{Caption: "Values with their intervals, by strategy"}
	for _, col := range columns {
		t.Heads = append(t.Heads, reportHead{col.head, col.hint})
	}
	for _, body := range g.bodies() {
		b := reportBody{Title: body.title}
		for _, c := range body.cells {
			row := c.row()
			for _, col := range columns {
				row.Cells = append(row.Cells, col.of(c))
			}
			b.Rows = append(b.Rows, row)
		}
		t.Bodies = append(t.Bodies, b)
	}
	return t
}

func (col column) of(c *reportCell) reportValue {
	e, ok := c.estimate(col.unit)
	switch {
	case !ok:
		return absent
	case col.value != nil:
		return col.value(c)
	}
	v := reportValue{Text: col.format(e.mid)}
	if lo, hi := col.format(threeDigits(e.lo)), col.format(threeDigits(e.hi)); lo != hi {
		v.Below = ends(lo, hi)
	}
	return v
}

// ends writes an interval; a unit that both ends have is written once.
func ends(lo, hi string) string {
	l, lunit, ok := strings.Cut(lo, " ")
	if _, hunit, _ := strings.Cut(hi, " "); ok && lunit == hunit {
		lo = l
	}
	return lo + " – " + hi
}

// threeDigits rounds the end of an interval: enough to compare by, and no more.
func threeDigits(v float64) float64 {
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-2)
	return math.Round(v/unit) * unit
}

// foreign reports whether the group's names are not those of poolbench: then nothing is known of its metrics but their units.
func (g *reportGroup) foreign() bool {
	return !slices.ContainsFunc(g.cells, func(c *reportCell) bool { return c.strategy != "" })
}

func (g *reportGroup) foreignColumns() (columns []column) {
	seen := make(map[string]bool)
	for _, c := range g.cells {
		for unit := range c.runs[0].Values {
			seen[unit] = true
		}
	}
	for unit := range seen {
		format := charts.Count
		if strings.HasPrefix(unit, "sec/") || strings.HasSuffix(unit, "-sec") || unit == "sec" {
			format = charts.Seconds
		}
		columns = append(columns, column{head: unit, unit: unit, format: format})
	}
	slices.SortFunc(columns, func(a, b column) int { return strings.Compare(a.unit, b.unit) })
	return columns
}

func (c *reportCell) row() reportRow {
	r := reportRow{Name: c.strategy, Style: c.style}
	if c.strategy == "" {
		r.Name = c.name
	} else {
		r.Swatch = template.HTML(charts.Swatch(c.style))
	}
	for _, run := range c.runs {
		if v, ok := run.Value("broken-laws"); ok && v > 0 {
			r.Broken = true
		}
	}
	return r
}

type groupBody struct {
	title string
	cells []*reportCell
}

// bodies divides the cells by what varies in the group other than the strategy.
func (g *reportGroup) bodies() (out []groupBody) {
	for _, c := range g.cells {
		title := c.place()
		if g.oneLimit() != "" {
			title = c.loadText()
		}
		if len(out) == 0 || out[len(out)-1].title != title {
			out = append(out, groupBody{title: title})
		}
		b := &out[len(out)-1]
		b.cells = append(b.cells, c)
	}
	return out
}

func shareText(v float64) string {
	p := 100 * v
	switch {
	case p == 0:
		return "0 %"
	case math.Abs(p) < 0.01:
		return fmt.Sprintf("%.2g %%", p)
	case math.Abs(p) < 10:
		return fmt.Sprintf("%.2f %%", p)
	}
	return fmt.Sprintf("%.1f %%", p)
}

// against shows an exact value, and below it how far the measured one is from it.
func against(c *reportCell, measured, exact string, format func(float64) string) reportValue {
	e, ok := c.estimate(exact)
	if !ok {
		return absent
	}
	v := reportValue{Text: format(e.mid)}
	m, ok := c.estimate(measured)
	switch {
	case !ok:
	case e.mid != 0:
		v.Below = percentDiff(m.mid/e.mid - 1)
	case m.mid == 0:
		v.Below = "0 %"
	default:
		v.Below = "+" + format(m.mid)
	}
	return v
}

func oracleValue(c *reportCell) reportValue {
	e, _ := c.estimate("oracle-max-diff-sec")
	if e.hi == 0 {
		return reportValue{Text: "equal", Below: "to the ns"}
	}
	v := reportValue{Text: charts.Seconds(e.hi), Below: "at most"}
	if mean, measured := c.value("oracle-mean-wait-sec"), c.value("mean-wait-sec"); mean > 0 && !math.IsNaN(measured) {
		v.Below = "mean " + percentDiff(measured/mean-1)
	}
	return v
}

// checked are the metrics with an exact value.
var checked = []struct {
	head, measured, exact string
	format                func(float64) string
}{
	{"mean wait", "mean-wait-sec", "theory-mean-wait-sec", charts.Seconds},
	{"waited", "waited/op", "theory-waited/op", shareText},
	{"p50 response", "p50-response-sec", "theory-p50-response-sec", charts.Seconds},
	{"p90 response", "p90-response-sec", "theory-p90-response-sec", charts.Seconds},
	{"p99 response", "p99-response-sec", "theory-p99-response-sec", charts.Seconds},
	{"p99.9 response", "p99.9-response-sec", "theory-p99.9-response-sec", charts.Seconds},
	{"shed", "shed/op", "theory-shed/op", shareText},
	{"throughput", "ops/s", "theory-ops/s", func(v float64) string { return charts.Count(v) + " /s" }},
	{"mean wait, oracle", "mean-wait-sec", "oracle-mean-wait-sec", charts.Seconds},
}

// checks makes the table of measured against exact values; false where nothing exact is known.
func (g *reportGroup) checks() (reportTable, bool) {
	t := reportTable{Caption: "Exact values, and how far the measured ones are from them"}
	shown := slices.DeleteFunc(slices.Clone(checked), func(m struct {
		head, measured, exact string
		format                func(float64) string
	}) bool {
		return !hasMetric(g.cells, m.exact)
	})
	for _, m := range shown {
		t.Heads = append(t.Heads, reportHead{Text: m.head})
	}
	for _, body := range g.bodies() {
		b := reportBody{Title: body.title}
		for _, c := range body.cells {
			row := c.row()
			known := false
			for _, m := range shown {
				v := against(c, m.measured, m.exact, m.format)
				known = known || v != absent
				row.Cells = append(row.Cells, v)
			}
			if known {
				b.Rows = append(b.Rows, row)
			}
		}
		if len(b.Rows) > 0 {
			t.Bodies = append(t.Bodies, b)
		}
	}
	return t, len(shown) > 0
}
