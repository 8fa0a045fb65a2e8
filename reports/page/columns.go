package page

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/quantity"
)

// A column of the main table.
type column struct {
	head, hint string
	unit       string
	// show says whether the column tells the group anything; nil: whenever there are values.
	show func(cells []*reportCell, unit string) bool
	// value replaces the plain one: the estimate of unit with its interval.
	value func(c *reportCell) reportValue
	// format is that of the values; nil: that of our metric of that unit
	format func(float64) string
}

// reportColumns are those of the main table, in their order.
var reportColumns = []column{
	{head: "throughput", hint: "tasks completed per second", unit: "ops/s"},
	{head: "goodput", hint: "tasks completed in time, without error, per second",
		unit: "goodput-ops/s",
		show: func(cells []*reportCell, _ string) bool { return !sameGoodput(cells) }},
	{head: "p50 response", hint: "half of the tasks take longer, from due to end",
		unit: "p50-response-sec"},
	{head: "p99 response", hint: "one task in 100 takes longer, from due to end",
		unit: "p99-response-sec"},
	{head: "p99.9 response", hint: "one task in 1000 takes longer, from due to end",
		unit: "p99.9-response-sec"},
	{head: "p99 against theory", hint: "exact value, and how far the measured p99 is from it",
		unit:  "theory-p99-response-sec",
		value: against("p99-response-sec", "theory-p99-response-sec")},
	{head: "mean wait", hint: "response less time inside the task", unit: "mean-wait-sec"},
	{head: "wait against oracle", unit: "oracle-max-diff-sec", value: oracleValue,
		hint: "largest difference of a task's wait from the replay of its run"},
	{head: "waited", hint: "share of the tasks that waited at all", unit: "waited/op"},
	{head: "shed", hint: "share refused by the strategy", unit: "shed/op", show: above0},
	{head: "throttled", hint: "share refused by the target", unit: "throttled/op", show: above0},
	{head: "failed", hint: "share that ended in an error", unit: "failed/op", show: above0},
	{head: "abandoned", hint: "share given up while it ran or waited", unit: "abandoned/op",
		show: above0},
	{head: "attempts", hint: "attempts per task", unit: "attempts/op", show: not1},
	{head: "sent again", hint: "requests that net/http sent again over the wire, per request",
		unit: "resent/op", show: above0},
	{head: "refused calls", hint: "attempts that the target refused, in the whole run",
		unit: "refused-calls", show: above0},
	{head: "bans", hint: "times that the target banned the client", unit: "bans", show: above0},
	{head: "utilisation", hint: "time inside tasks, of the time that the limit allows",
		unit: "utilisation"},
	{head: "makespan", hint: "first due to last end", unit: "makespan-sec",
		show: func(cells []*reportCell, _ string) bool { // with open arrivals it echoes the plan
			return slices.ContainsFunc(cells, (*reportCell).closed)
		}},
	{head: "p99 service", unit: "p99-service-sec",
		hint: "one request in 100 takes longer, from its sending to the end of its answer",
		show: func(cells []*reportCell, _ string) bool {
			return cells[0].Cell[0].Base() == "Attack"
		}},
	{head: "p99 lag", hint: "how late the generator itself was", unit: "p99-lag-sec",
		show: above0},
	{head: "CPU", hint: "CPU time per task", unit: "cpu-sec/op"},
	{head: "memory", hint: "bytes allocated per task", unit: "B/op"},
	{head: "allocations", hint: "allocations per task", unit: "allocs/op"},
}

func above0(cells []*reportCell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *reportCell) bool {
		e, ok := c.Estimate(unit)
		return ok && e.Hi > 0
	})
}

func not1(cells []*reportCell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *reportCell) bool {
		e, ok := c.Estimate(unit)
		return ok && e.Mid != 1
	})
}

// closed reports whether the arrivals wait for completions, or come all at once.
func (c *reportCell) closed() bool { return math.IsNaN(c.load) && math.IsNaN(c.rate) }

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
		format := quantity.Digits
		if strings.HasPrefix(unit, "sec/") || strings.HasSuffix(unit, "-sec") || unit == "sec" {
			format = quantity.Seconds
		}
		columns = append(columns, column{head: unit, unit: unit, format: format})
	}
	return columns
}
