package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/montanaflynn/stats"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// A group are the results of one scenario but for its strategy: what may be compared.
type group struct {
	scenario bench.Written // without strategy, queue and seed
	rows     []row         // by strategy, in the order of the plan
}

// A row is one strategy: the median of each metric over the repetitions.
type row struct {
	strategy string // with its queue, where that was given
	results  []*bench.Result
}

// value is the median over the repetitions that have the metric.
func (r row) value(unit string) (float64, bool) {
	var values []float64
	for _, result := range r.results {
		if v, ok := result.Metric(unit); ok {
			values = append(values, v)
		}
	}
	median, err := stats.Median(values)
	return median, err == nil // without values there is no median
}

// gathered puts together what has the same key, in the order of the first of each.
func gathered[T any, K comparable](all []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, v := range all {
		i, known := at[key(v)]
		if !known {
			i = len(groups)
			at[key(v)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

func resultsOf(records []record) (all []*bench.Result) {
	for _, rec := range records {
		all = append(all, rec.result)
	}
	return all
}

// groupRecords sorts the results of a section into groups, in the order of the plan.
func groupRecords(records []record) (groups []*group) {
	place := func(rec record) bench.Written {
		w := rec.scenario.Written()
		w.Strategy, w.Queue, w.Seed = "", 0, 0
		return w
	}
	strategy := func(rec record) string {
		w := rec.scenario.Written()
		if w.Queue == 0 {
			return w.Strategy
		}
		return fmt.Sprintf("%s, queue %d", w.Strategy, max(w.Queue, 0))
	}
	for _, alike := range gathered(records, place) {
		g := &group{scenario: place(alike[0])}
		for _, runs := range gathered(alike, strategy) {
			g.rows = append(g.rows, row{strategy(runs[0]), resultsOf(runs)})
		}
		groups = append(groups, g)
	}
	return groups
}

// A column of the full table. One that is not always there is shown where a row of the section has
// a value other than 0.
type column struct {
	head, unit string
	always     bool
}

var columns = []column{
	{"throughput", "ops/s", true},
	{"goodput", "goodput-ops/s", false},
	{"mean response", "mean-response-sec", true},
	{"p50", "p50-response-sec", true},
	{"p99", "p99-response-sec", true},
	{"mean wait", "mean-wait-sec", true},
	{"waited", "waited/op", true},
	{"shed", "shed/op", false},
	{"throttled", "throttled/op", false},
	{"failed", "failed/op", false},
	{"abandoned", "abandoned/op", false},
	{"refused calls", "refused-calls", false},
	{"bans", "bans", false},
	{"makespan", "makespan-sec", false},
}

// fewGroups is up to how many a section gets a full table each; beyond, one value a scenario has to
// do.
const fewGroups = 4

// showTables prints the results, section by section.
func (a *app) showTables(e *execution) error {
	for _, records := range gathered(e.records, func(r record) int { return r.section }) {
		if title := e.plan[records[0].section].title; title != "" {
			fmt.Fprintf(a.stdout, "%s\n\n", title)
		}
		groups := groupRecords(records)
		show := a.showSweep
		if len(groups) <= fewGroups {
			show = a.showGroups
		}
		if err := show(groups); err != nil {
			return err
		}
	}
	return nil
}

// showGroups prints a full table for each group.
func (a *app) showGroups(groups []*group) error {
	for _, g := range groups {
		fmt.Fprintln(a.stdout, heading(g.scenario, "")+g.arrived()+repetitions(g.rows))
		lines := table("strategy", g.columns(), g.rows)
		if err := terminal.WriteTable(a.stdout, lines); err != nil {
			return err
		}
		fmt.Fprintln(a.stdout)
	}
	return nil
}

// table has a line for each row that has results, below the heads.
func table(of string, columns []column, rows []row) (lines [][]string) {
	heads := []string{of}
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	lines = append(lines, heads)
	for _, r := range rows {
		if len(r.results) == 0 {
			continue
		}
		cells := []string{r.strategy}
		for _, c := range columns {
			cells = append(cells, r.spell(c.unit))
		}
		lines = append(lines, cells)
	}
	return lines
}

// columns are those that this group needs.
func (g *group) columns() (shown []column) {
	for _, c := range columns {
		needed := c.always
		switch c.unit {
		case "goodput-ops/s":
			needed = g.scenario.Deadline != 0
		case "makespan-sec": // with a rate it echoes the plan
			needed = g.scenario.Load == 0 && g.scenario.Rate == 0
		default:
			needed = needed || slices.ContainsFunc(g.rows, func(r row) bool {
				v, ok := r.value(c.unit)
				return ok && v != 0
			})
		}
		if needed {
			shown = append(shown, c)
		}
	}
	return shown
}

func (r row) spell(unit string) string {
	v, ok := r.value(unit)
	if !ok {
		return "–"
	}
	return terminal.Metric(unit, v)
}

// arrived is the rate at which tasks came, beside the one that was asked for: of 100 Poisson
// arrivals a second, 110 may come in a second.
func (g *group) arrived() string {
	if g.scenario.Load == 0 && g.scenario.Rate == 0 {
		return ""
	}
	if arrived, ok := g.rows[0].value("offered-ops/s"); ok {
		return ", arrived " + terminal.Rate(arrived)
	}
	return ""
}

// repetitions ends a heading where the values are medians.
func repetitions(rows []row) string {
	most := 0
	for _, r := range rows {
		most = max(most, len(r.results))
	}
	if most < 2 {
		return ""
	}
	return fmt.Sprintf("; median of %d runs", most)
}

// An item is one axis of a scenario with its value, as a heading shows it.
type item struct{ axis, value string }

func items(w bench.Written) []item {
	all := []item{{"workload", w.Workload}, {"target", w.Target}, {"arrival", w.Arrival},
		{"limit", strconv.Itoa(w.Limit)}}
	add := func(axis, value string, given bool) {
		if given {
			all = append(all, item{axis, value})
		}
	}
	add("load", strconv.FormatFloat(w.Load, 'g', -1, 64), w.Load != 0)
	add("rate", strconv.FormatFloat(w.Rate, 'g', -1, 64)+" /s", w.Rate != 0)
	add("deadline", w.Deadline.String(), w.Deadline != 0)
	add("timeout", w.Timeout.String(), w.Timeout != 0)
	add("drain", w.Drain.String(), w.Drain != 0)
	add("n", strconv.Itoa(w.Tasks), w.Tasks != 0)
	add("duration", w.Duration.String(), w.Duration != 0)
	return append(all, item{"clock", w.Clock})
}

// heading spells the scenario but for the axis that the columns show.
func heading(w bench.Written, without string) string {
	var parts []string
	for _, it := range items(w) {
		switch {
		case it.axis == without, it == item{"target", "none"}:
		case it.axis == "clock":
			parts = append(parts, it.value+" clock")
		case it.axis == "n":
			parts = append(parts, it.value+" tasks")
		default:
			parts = append(parts, it.axis+" "+it.value)
		}
	}
	return strings.Join(parts, ", ")
}
