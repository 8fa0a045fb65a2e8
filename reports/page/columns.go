package page

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
)

// A Column is a column of the main table.
type Column struct {
	Head, Hint string
	Unit       string
	// nil: shown if the group has values
	show func(cells []*Cell, unit string) bool
	// default: the estimate of Unit with its interval
	Value func(c *Cell) Value
	// default: the format of the metric
	format func(float64) string
}

// Columns are the columns of the main table, in order.
var Columns = []Column{
	{Head: "throughput", Hint: "tasks completed per second", Unit: metric.Throughput},
	{Head: "goodput", Hint: "tasks completed within the deadline, per second",
		Unit: metric.Goodput,
		show: func(cells []*Cell, _ string) bool { return !sameGoodput(cells) }},
	{Head: "p50 response", Hint: "median response time, from due to end",
		Unit: metric.P50Response},
	{Head: "p95 response", Hint: "95th percentile of the response time, from due to end",
		Unit: metric.P95Response, show: ofAttack},
	{Head: "p99 response", Hint: "99th percentile of the response time, from due to end",
		Unit: metric.P99Response},
	{Head: "p99.9 response", Hint: "99.9th percentile of the response time, from due to end",
		Unit: metric.P999Response},
	{Head: "p99 against theory", Hint: "exact value, and the difference of the measured p99",
		Unit:  metric.TheoryP99Response,
		Value: against(metric.P99Response, metric.TheoryP99Response)},
	{Head: "mean wait", Hint: "response time minus time inside the task", Unit: metric.MeanWait},
	{Head: "wait against oracle", Unit: metric.OracleMaxDiff, Value: oracleValue,
		Hint: "largest difference between a task's wait and the exact replay of its run"},
	{Head: "waited", Hint: "share of the tasks that had to wait", Unit: metric.Waited},
	{Head: "shed", Hint: "share refused by the strategy", Unit: metric.Shed, show: above0},
	{Head: "throttled", Hint: "share refused by the target", Unit: metric.Throttled, show: above0},
	{Head: "failed", Hint: "share that ended in an error", Unit: metric.Failed, show: above0},
	{Head: "overruns", Hint: "attempts that continued after their timeout, in the whole run",
		Unit: metric.Overruns, show: above0},
	{Head: "longest overrun", Hint: "longest time for which an attempt continued after its timeout",
		Unit: metric.MaxOverrun, show: above0},
	{Head: "abandoned", Hint: "share abandoned while running or waiting", Unit: metric.Abandoned,
		show: above0},
	{Head: "gave up", Hint: "share whose caller gave up before the task was done",
		Unit: metric.GaveUp},
	{Head: "gave up started", Hint: "share whose caller gave up after the task started",
		Unit: metric.GaveUpStarted, show: above0},
	{Head: "wasted", Hint: "share of the service time spent on tasks that did not complete",
		Unit: metric.WastedService},
	{Head: "peak weight", Hint: "largest sum of the weights of tasks in flight",
		Unit: metric.PeakWeight},
	{Head: "light p99 wait", Hint: "99th percentile of the wait of the tasks with the smallest " +
		"weight",
		Unit: metric.LightP99Wait},
	{Head: "heavy p99 wait", Hint: "99th percentile of the wait of the tasks with the largest " +
		"weight",
		Unit: metric.HeavyP99Wait},
	{Head: "missed", Hint: "share of the tasks with a deadline that missed the deadline",
		Unit: metric.Missed},
	{Head: "fairness", Unit: metric.Fairness,
		Hint: "Jain's index of the tenants' time in slots: 1 if each received its fair share"},
	{Head: "noisy share", Unit: metric.NoisyShare,
		Hint: "share of the time in slots that the tenant with the most tasks had"},
	{Head: "attempts", Hint: "attempts per task", Unit: metric.Attempts, show: not1},
	{Head: "retried", Hint: "requests retried on a fresh connection, per request",
		Unit: metric.Resent, show: above0},
	{Head: "refused calls", Hint: "attempts that the target refused, in the whole run",
		Unit: metric.RefusedCalls, show: above0},
	{Head: "bans", Hint: "number of bans of the client by the target", Unit: metric.Bans, show: above0},
	{Head: "utilisation", Hint: "service time of all tasks, as a share of limit × makespan",
		Unit: metric.Utilisation},
	{Head: "mean limit", Unit: metric.MeanLimit,
		Hint: "time average of the limit that the strategy learnt"},
	{Head: "bottleneck stage", Unit: metric.Bottleneck,
		Hint: "stage of the pipeline whose workers were busy for the largest share of the run"},
	{Head: "bottleneck utilisation", Hint: "busy share of that stage", Unit: metric.BottleneckUse},
	{Head: "makespan", Hint: "first due to last end", Unit: metric.Makespan,
		show: func(cells []*Cell, _ string) bool { // with open arrivals it repeats the plan
			return slices.ContainsFunc(cells, (*Cell).Closed)
		}},
	{Head: "p99 service", Unit: metric.P99Service,
		Hint: "99th percentile of the time from sending a request to the end of its answer",
		show: ofAttack},
	{Head: "sent", Hint: "bytes of bodies per request", Unit: metric.SentBytes, show: ofAttack},
	{Head: "received", Hint: "bytes of bodies per request", Unit: metric.ReceivedBytes,
		show: ofAttack},
	{Head: "connections", Hint: "connections opened per request", Unit: metric.Connections,
		show: ofAttack},
	{Head: "p99 lag", Hint: "lateness of the load generator itself", Unit: metric.P99Lag,
		show: above0},
	{Head: "CPU", Hint: "CPU time per task", Unit: metric.CPUPerOp},
	{Head: "memory", Hint: "bytes allocated per task", Unit: metric.BytesPerOp},
	{Head: "allocations", Hint: "allocations per task", Unit: metric.AllocsPerOp},
}

var statusColumn = Column{Head: "status", Hint: "number of each, over all repetitions",
	Value: func(c *Cell) Value { return statusValue(c, "") }}

func ofAttack(cells []*Cell, _ string) bool { return cells[0].Cell[0].Base() == "Attack" }

func above0(cells []*Cell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *Cell) bool {
		e, ok := c.Estimate(unit)
		return ok && e.Hi > 0
	})
}

func not1(cells []*Cell, unit string) bool {
	return slices.ContainsFunc(cells, func(c *Cell) bool {
		e, ok := c.Estimate(unit)
		return ok && e.Mid != 1
	})
}

// Foreign reports whether the group comes from another tool, so that only the units of poolbench's
// metrics are known.
func Foreign(g *Group) bool {
	return !slices.ContainsFunc(g.Cells, func(c *Cell) bool { return c.Strategy != "" })
}

func foreignColumns(g *Group) (columns []Column) {
	seen := make(map[string]bool)
	for _, c := range g.Cells {
		for unit := range c.Cell[0].Values {
			seen[unit] = true
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(seen)) {
		columns = append(columns, Column{Head: unit, Unit: unit})
	}
	return columns
}

func metricLabel(unit string) string {
	if url, rest, ok := metric.CutURL(unit); ok {
		return metricLabel(rest) + " of " + url
	}
	label := strings.TrimSuffix(strings.TrimSuffix(unit, "-sec"), "/op")
	if rest, ok := metric.CutTheory(label); ok {
		label = "exact " + rest
	}
	return strings.ReplaceAll(label, "-", " ")
}

func sameGoodput(cells []*Cell) bool {
	return !hasMetric(cells, metric.Goodput) ||
		!slices.ContainsFunc(cells, func(c *Cell) bool {
			good, all := c.Value(metric.Goodput), c.Value(metric.Throughput)
			return !(math.Abs(good-all) <= 1e-9*all)
		})
}
