package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/internal/text/tables"
	"github.com/poolbench/poolbench/reports/results"
)

// loadWidth is that of what is said of loads.
const loadWidth = 80

// loadColumns are those of the table: 80 characters with the longest name of a strategy.
var loadColumns = []column{
	{"throughput", "ops/s", true},
	{"p50", "p50-response-sec", true},
	{"p99", "p99-response-sec", true},
	{"p99 service", "p99-service-sec", true},
	{"p99 lag", "p99-lag-sec", true},
}

// loadShares are said below it, where they are not 0.
var loadShares = []column{
	{"shed", "shed/op", false},
	{"throttled", "throttled/op", false},
	{"failed", "failed/op", false},
	{"abandoned", "abandoned/op", false},
	{"sent again", "resent/op", false},
}

func showLoaded(kind, what string, e *loaded, format string) error {
	if format == "json" {
		doc := document(e.execution, kind)
		doc.Complete = doc.Complete && e.cut == nil // a load that was cut short has a result
		return e.JSON(doc)
	}
	if len(e.records) == 0 {
		return nil
	}
	rows := e.rows()
	without := []string{"strategy", "target", "queue", "clock"}
	rate := func(l load) string {
		return results.Lookup(results.NameKeys([]byte(l.name)), "rate")
	}
	if slices.ContainsFunc(e.loads, func(l load) bool { return rate(l) != rate(e.loads[0]) }) {
		without = append(without, "rate")
	}
	keys := results.Without(e.records[0].Keys, without...)
	head := what + ", " + heading(keys) + repetitions(rows)
	e.Say("", head, loadWidth)
	for _, r := range rows {
		if text := completed(r); text != "" {
			e.Say("", text, loadWidth)
		}
	}
	fmt.Fprintln(e.Stdout)
	of := "target"
	if slices.ContainsFunc(e.records, func(r record) bool {
		return r.Key("strategy") != ""
	}) {
		of = "strategy"
	}
	if err := e.Table(table(of, loadColumns, rows)); err != nil {
		return err
	}
	showAnswered(e, rows)
	fmt.Fprintln(e.Stdout)
	if err := showObjectives(e.execution); err != nil {
		return err
	}
	return e.Prose(`  p50 and p99 are of the response, which counts from the instant a request was
  due; service counts from its sending; lag is how late it was sent.
Report: %s
`, e.report)
}

// rows are the loads with their results.
func (e *loaded) rows() []row {
	rows := make([]row, len(e.loads))
	for k, l := range e.loads {
		rows[k].strategy = l.row
	}
	for _, rec := range e.records {
		rows[rec.section].Cell = append(rows[rec.section].Cell, rec.Run)
	}
	return rows
}

// completed says what came of a load, in a sentence; "" where it has no results.
func completed(r row) string {
	done, ok := r.Estimate("ops/s")
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s: %s", r.strategy, quantity.Rate(done.Mid))
	if offered, ok := r.Estimate("offered-ops/s"); ok {
		text += " of " + quantity.Rate(offered.Mid)
	}
	text += " completed"
	for _, q := range []string{"p99", "p50"} {
		if v, ok := r.Estimate(q + "-response-sec"); ok {
			return text + fmt.Sprintf(", %s %s", q, quantity.Seconds(v.Mid))
		}
	}
	return text
}

// showAnswered says, for every load, which statuses and errors came, over all repetitions, and what
// share was not completed.
func showAnswered(e *loaded, rows []row) {
	fmt.Fprintln(e.Stdout)
	for k, r := range rows {
		var words []string
		for _, c := range loadShares {
			if v, ok := r.Estimate(c.unit); ok && v.Mid != 0 {
				words = append(words, quantity.Metric(c.unit, v.Mid)+" "+c.head)
			}
		}
		var statuses, errors []attack.Count
		resumed, over := false, ""
		for _, rec := range e.records {
			if rec.section == k {
				statuses = append(statuses, rec.answers.Statuses...)
				errors = append(errors, rec.answers.Errors...)
				over = cmp.Or(over, rec.answers.Over)
				resumed = resumed || rec.answers.Resumed
			}
		}
		if over != "" {
			words = append(words, over)
		}
		words = append(words, spellCounts("status ", statuses)...)
		words = append(words, spellCounts("", errors)...)
		if resumed && len(statuses)+len(errors) > 0 {
			words = append(words, "statuses and errors since --resume")
		}
		if len(words) > 0 {
			text := r.strategy + ": " + strings.Join(words, ", ")
			e.Say("  ", text, loadWidth)
		}
		for _, rec := range e.records {
			if rec.section == k {
				writeAgents(e.Stdout, rec.answers.Agents)
			}
		}
	}
}

// writeAgents says who has sent how much.
func writeAgents(to io.Writer, all []attack.Agent) {
	for _, g := range all {
		fmt.Fprintln(to, tables.Wrapped("  ", "agent on "+g.String(), loadWidth))
	}
}
