package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// The scenarios of a group differ only in their strategy, so they can be compared.
type group struct {
	keys []results.Pair // keys of the names, without strategy and queue
	rows []Row          // by strategy, in the order of the plan
}

// A Row is one strategy with its repetitions.
type Row struct {
	Strategy string // includes its queue if that was given
	results.Cell
}

func cellOf(records []execute.Record) (c results.Cell) {
	for _, rec := range records {
		c = append(c, rec.Run)
	}
	return c
}

func groupRecords(records []execute.Record) (groups []*group) {
	place := func(r execute.Record) string {
		return fmt.Sprint(results.Without(r.Keys, "strategy", "queue"))
	}
	strategy := func(rec execute.Record) string {
		name := results.Readable(rec.Key("strategy"))
		if queue := rec.Key("queue"); queue != "" {
			name += ", queue " + queue
		}
		return name
	}
	for _, alike := range results.Gather(records, place) {
		g := &group{keys: results.Without(alike[0].Keys, "strategy", "queue")}
		for _, runs := range results.Gather(alike, strategy) {
			g.rows = append(g.rows, Row{strategy(runs[0]), cellOf(runs)})
		}
		groups = append(groups, g)
	}
	return groups
}

// Unless always is set, a Column is shown only if a row of the section has a value other than 0.
type Column struct {
	Head, Unit string
	always     bool
}

var columns = []Column{
	{"throughput", metric.Throughput, true},
	{"goodput", metric.Goodput, false},
	{"mean response", metric.MeanResponse, true},
	{"p50", metric.P50Response, true},
	{"p99", metric.P99Response, true},
	{"mean wait", metric.MeanWait, true},
	{"waited", metric.Waited, true},
	{"shed", metric.Shed, false},
	{"throttled", metric.Throttled, false},
	{"failed", metric.Failed, false},
	{"overruns", metric.Overruns, false},
	{"abandoned", metric.Abandoned, false},
	{"gave up", metric.GaveUp, false},
	{"gave up started", metric.GaveUpStarted, false},
	{"wasted", metric.WastedService, false},
	{"peak weight", metric.PeakWeight, false},
	{"light p99 wait", metric.LightP99Wait, false},
	{"heavy p99 wait", metric.HeavyP99Wait, false},
	{"missed", metric.Missed, false},
	{"fairness", metric.Fairness, false},
	{"noisy share", metric.NoisyShare, false},
	{"mean limit", metric.MeanLimit, false},
	{"refused calls", metric.RefusedCalls, false},
	{"bans", metric.Bans, false},
	{"makespan", metric.Makespan, false},
}

// Up to fewGroups groups each have a full table. In a larger section, each scenario has one value.
const fewGroups = 4

func showTables(e *execute.Execution) error {
	section := func(r execute.Record) int { return r.Section }
	for _, records := range results.Gather(e.Records, section) {
		if title := e.Plan[records[0].Section].Title; title != "" {
			e.Prose("%s\n\n", title)
		}
		groups := groupRecords(records)
		show := showSweep
		if len(groups) <= fewGroups {
			show = showGroups
		}
		var decides []string
		if study := e.Plan[records[0].Section].Study; study != nil {
			decides = study.Decides
		}
		if err := show(e.Printer, groups, decides); err != nil {
			return err
		}
	}
	return nil
}

func showGroups(p *terminal.Printer, groups []*group, decides []string) error {
	for _, g := range groups {
		p.Prose("%s\n", g.title(p.Columns()))
		names, notes := alike([]*group{g})
		rows := slices.DeleteFunc(slices.Clone(g.rows), func(r Row) bool {
			return names[r.Strategy] == ""
		})
		for i := range rows {
			rows[i].Strategy = names[rows[i].Strategy]
		}
		var sure certainty
		for _, r := range rows {
			sure.Add(r.Strategy, r.Cell)
		}
		if err := p.Table(Table("strategy", g.columns(decides), rows)); err != nil {
			return err
		}
		if err := showLabels(p, rows); err != nil {
			return err
		}
		if len(decides) == 0 { // a study explains its strategies
			notes = append(notes, limitNotes(g.keys, g.rows)...)
		}
		for _, note := range slices.Concat(notes, g.arrivalNotes(),
			Uncertain(g.columns(decides), rows), sure.notes(), distortedRows(rows), overrunNotes(rows),
			bottlenecks(rows), labelNotes(rows)) {
			p.Paragraph("  ", note, pageWidth)
		}
		if err := showStages(p, g, rows); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout)
	}
	return nil
}

// title also contains the default number of tasks, which names omit, if a line of the terminal has
// room for it. columns is 0 without a terminal.
func (g *group) title(columns int) string {
	rest := g.arrived() + Repetitions(g.rows)
	keys := withoutIdleLimit(g.keys, g.rows)
	title := Heading(keys) + rest
	at := slices.IndexFunc(keys, func(k results.Pair) bool { return k.Key == "clock" })
	if at < 0 || results.Lookup(g.keys, "workload") == "" ||
		results.Lookup(g.keys, "n")+results.Lookup(g.keys, "duration") != "" {
		return title
	}
	tasks := results.Pair{Key: "n", Value: strconv.Itoa(bench.Scenario{}.Encode().Tasks)}
	whole := Heading(slices.Insert(slices.Clone(keys), at, tasks)) + rest
	if columns > 0 && utf8.RuneCountInString(whole) > columns {
		return title
	}
	return whole
}

func Table(of string, columns []Column, rows []Row) (lines [][]string) {
	lines = append(lines, append([]string{of}, Heads(columns)...))
	for _, r := range rows {
		if len(r.Cell) == 0 {
			continue
		}
		cells := text.Texts(columns, func(c Column) string { return r.Show(c.Unit) })
		lines = append(lines, append([]string{r.Strategy}, cells...))
	}
	return lines
}

// Uncertain returns a line that explains the marks of uncertain values in a table.
func Uncertain(columns []Column, rows []Row) []string {
	var shown []results.ShownMetric
	for _, r := range rows {
		for _, c := range columns {
			shown = append(shown, results.ShownMetric{Cell: r.Cell, Unit: c.Unit})
		}
	}
	return results.UncertainLines(shown)
}

func Heads(columns []Column) []string {
	return text.Texts(columns, func(c Column) string { return c.Head })
}

func columnOf(unit string) Column {
	if i := slices.IndexFunc(columns, func(c Column) bool { return c.Unit == unit }); i >= 0 {
		return columns[i]
	}
	head := unit
	for _, suffix := range []string{"-sec", "/op", "-ops/s"} {
		head = strings.TrimSuffix(head, suffix)
	}
	return Column{Head: strings.ReplaceAll(head, "-", " "), Unit: unit}
}

func (g *group) has(unit string) bool {
	return slices.ContainsFunc(g.rows, func(r Row) bool {
		_, ok := r.Estimate(unit)
		return ok
	})
}

func (g *group) columns(decides []string) (shown []Column) {
	for _, unit := range decides {
		if g.has(unit) {
			shown = append(shown, columnOf(unit))
		}
	}
	first := len(shown)
	for _, c := range columns {
		if slices.ContainsFunc(shown[:first], func(d Column) bool { return d.Unit == c.Unit }) {
			continue
		}
		needed := c.always
		switch c.Unit {
		case metric.Goodput:
			needed = results.Lookup(g.keys, "deadline") != ""
		case metric.Makespan: // with a rate, it only reflects the plan
			needed = !g.Open()
		default:
			needed = needed || slices.ContainsFunc(g.rows, func(r Row) bool {
				v, ok := r.Estimate(c.Unit)
				return ok && v.Mid != 0
			})
		}
		if needed {
			shown = append(shown, c)
		}
	}
	return shown
}

// Open reports whether tasks arrive at a rate, which may follow from a load.
func (g *group) Open() bool {
	return results.Lookup(g.keys, "load")+results.Lookup(g.keys, "rate") != "" ||
		arrivalStages(results.Lookup(g.keys, "arrival")) != nil
}

func Repetitions(rows []Row) string {
	most := 0
	for _, r := range rows {
		most = max(most, len(r.Cell))
	}
	if most < 2 {
		return ""
	}
	return fmt.Sprintf("; median of %d runs", most)
}

func Heading(keys []results.Pair) string { return strings.Join(results.Words(keys), ", ") }
