package page

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

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
			return slices.ContainsFunc(cells, func(c *reportCell) bool {
				e, ok := c.Estimate(unit)
				return ok && e.Hi > 0
			})
		}
	}
	bytes := func(v float64) string { return charts.Count(v) + " B" }
	return []column{
		{head: "throughput", hint: "tasks completed per second", unit: "ops/s", format: perSecond},
		{head: "goodput", hint: "tasks completed in time, without error, per second",
			unit: "goodput-ops/s", format: perSecond,
			show: func(cells []*reportCell) bool { return !sameGoodput(cells) }},
		{head: "p50 response", hint: "half of the tasks take longer, from due to end",
			unit: "p50-response-sec", format: charts.Seconds},
		{head: "p99 response", hint: "one task in 100 takes longer, from due to end",
			unit: "p99-response-sec", format: charts.Seconds},
		{head: "p99.9 response", hint: "one task in 1000 takes longer, from due to end",
			unit: "p99.9-response-sec", format: charts.Seconds},
		{head: "p99 against theory", hint: "exact value, and how far the measured p99 is from it",
			unit: "theory-p99-response-sec",
			value: func(c *reportCell) reportValue {
				return against(c, "p99-response-sec", "theory-p99-response-sec", charts.Seconds)
			}},
		{head: "mean wait", hint: "response less time inside the task", unit: "mean-wait-sec",
			format: charts.Seconds},
		{head: "wait against oracle",
			hint: "largest difference of a task's wait from the replay of its run",
			unit: "oracle-max-diff-sec", format: charts.Seconds,
			value: oracleValue},
		{head: "waited", hint: "share of the tasks that waited at all",
			unit: "waited/op", format: share},
		{head: "shed", hint: "share refused by the strategy", unit: "shed/op", format: share,
			show: anyAbove0("shed/op")},
		{head: "throttled", hint: "share refused by the target", unit: "throttled/op",
			format: share, show: anyAbove0("throttled/op")},
		{head: "failed", hint: "share that ended in an error", unit: "failed/op", format: share,
			show: anyAbove0("failed/op")},
		{head: "abandoned", hint: "share given up while it ran or waited", unit: "abandoned/op",
			format: share, show: anyAbove0("abandoned/op")},
		{head: "attempts", hint: "attempts per task", unit: "attempts/op", format: charts.Count,
			show: func(cells []*reportCell) bool {
				return slices.ContainsFunc(cells, func(c *reportCell) bool {
					v := c.Value("attempts/op")
					return v != 1 && !math.IsNaN(v)
				})
			}},
		{head: "sent again", hint: "requests that net/http sent again over the wire, per request",
			unit: "resent/op", format: share, show: anyAbove0("resent/op")},
		{head: "refused calls", hint: "attempts that the target refused, in the whole run",
			unit: "refused-calls", format: charts.Count, show: anyAbove0("refused-calls")},
		{head: "bans", hint: "times that the target banned the client", unit: "bans",
			format: charts.Count, show: anyAbove0("bans")},
		{head: "utilisation", hint: "time inside tasks, of the time that the limit allows",
			unit: "utilisation", format: share},
		{head: "makespan", hint: "first due to last end", unit: "makespan-sec",
			format: charts.Seconds,
			show: func(cells []*reportCell) bool {
				// of closed arrivals; with open ones it echoes the plan
				return slices.ContainsFunc(cells, func(c *reportCell) bool {
					return math.IsNaN(c.load) && math.IsNaN(c.rate)
				})
			}},
		{head: "p99 service",
			hint: "one request in 100 takes longer, from its sending to the end of its answer",
			unit: "p99-service-sec", format: charts.Seconds,
			show: func(cells []*reportCell) bool { return cells[0].Cell[0].Base() == "Attack" }},
		{head: "p99 lag", hint: "how late the generator itself was", unit: "p99-lag-sec",
			format: charts.Seconds, show: anyAbove0("p99-lag-sec")},
		{head: "CPU", hint: "CPU time per task", unit: "cpu-sec/op", format: charts.Seconds},
		{head: "memory", hint: "bytes allocated per task", unit: "B/op", format: bytes},
		{head: "allocations", hint: "allocations per task", unit: "allocs/op",
			format: charts.Count},
	}
}

// foreign reports whether the group's names are not those of poolbench: then nothing is known of
// its metrics but their units.
func (g *reportGroup) foreign() bool {
	return !slices.ContainsFunc(g.cells, func(c *reportCell) bool { return c.strategy != "" })
}

func (g *reportGroup) foreignColumns() (columns []column) {
	seen := make(map[string]bool)
	for _, c := range g.cells {
		for unit := range c.Cell[0].Values {
			seen[unit] = true
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(seen)) {
		format := charts.Count
		if strings.HasPrefix(unit, "sec/") || strings.HasSuffix(unit, "-sec") || unit == "sec" {
			format = charts.Seconds
		}
		columns = append(columns, column{head: unit, unit: unit, format: format})
	}
	return columns
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

func perSecond(v float64) string { return charts.Count(v) + " /s" }
