package show

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

const Width = 80

// The columns take 80 characters with the longest name of a strategy.
var loadColumns = []Column{
	{Head: "throughput", Unit: metric.Throughput},
	{Head: "p50", Unit: metric.P50Response},
	{Head: "p99", Unit: metric.P99Response},
	{Head: "p99 service", Unit: metric.P99Service},
	{Head: "p99 lag", Unit: metric.P99Lag},
}

// loadShares are listed below the table if they are not 0.
var loadShares = []Column{
	{Head: "shed", Unit: metric.Shed},
	{Head: "throttled", Unit: metric.Throttled},
	{Head: "failed", Unit: metric.Failed},
	{Head: "abandoned", Unit: metric.Abandoned},
	{Head: "of sessions shed", Unit: metric.Sessions + metric.Shed},
	{Head: "of sessions failed", Unit: metric.Sessions + metric.Failed},
}

func showLoaded(kind, what string, e *loadSeries, format string) error {
	if format == "json" {
		doc := NewDocument(e.Execution, kind)
		doc.Complete = doc.Complete && e.Cut == nil // an interrupted load has a result
		return e.JSON(doc)
	}
	if len(e.Records) == 0 {
		return nil
	}
	if err := e.ShowCut(); err != nil {
		return err
	}
	rows := e.rows()
	without := []string{"strategy", "target", "queue", "clock"}
	rate := func(l Load) string {
		return results.Lookup(results.NameKeys([]byte(l.Name)), "rate")
	}
	if slices.ContainsFunc(e.loads, func(l Load) bool { return rate(l) != rate(e.loads[0]) }) {
		without = append(without, "rate")
	}
	keys := results.Without(e.Records[0].Keys, without...)
	head := what + ", " + Heading(withoutIdleLimit(keys, rows)) + Repetitions(rows)
	e.Paragraph("", head, Width)
	for _, r := range rows {
		if text := completed(r); text != "" {
			e.Paragraph("", text, Width)
		}
	}
	fmt.Fprintln(e.Stdout)
	of := "target"
	if slices.ContainsFunc(e.Records, func(r execute.Record) bool {
		return r.Key("strategy") != ""
	}) {
		of = "strategy"
	}
	if err := e.Table(Table(of, loadColumns, rows)); err != nil {
		return err
	}
	for _, note := range append(limitNotes(keys, rows), Uncertain(loadColumns, rows)...) {
		e.Paragraph("  ", note, Width)
	}
	for k, r := range rows {
		if err := errors.Join(e.showStages(r), e.showSteps(k, r), e.showURLs(k, r)); err != nil {
			return err
		}
	}
	if err := e.showSpread(rows); err != nil {
		return err
	}
	showAnswered(e, rows)
	fmt.Fprintln(e.Stdout)
	if err := ShowObjectives(e.Execution, func(r execute.Record) string {
		return e.loads[r.Section].Row
	}); err != nil {
		return err
	}
	report := ""
	if e.Report != "" {
		report = "Report: " + e.Report + "\n"
	}
	return e.Prose(`  p50 and p99 are response times, from the planned (due) time of a request.
  Service time starts when the request is sent. Lag is the delay of sending.
%s`, report)
}

func (e *loadSeries) rows() []Row {
	rows := make([]Row, len(e.loads))
	for k, l := range e.loads {
		rows[k].Strategy = l.Row
	}
	for _, rec := range e.Records {
		rows[rec.Section].Cell = append(rows[rec.Section].Cell, rec.Run)
	}
	return rows
}

func (e *loadSeries) section(k int) (all []execute.Record) {
	for _, r := range e.Records {
		if r.Section == k {
			all = append(all, r)
		}
	}
	return all
}

// completed returns a sentence on the result of a load, or "" without results.
func completed(r Row) string {
	done, ok := r.Estimate(metric.Throughput)
	if !ok {
		return ""
	}
	s := fmt.Sprintf("%s: %s", r.Strategy, text.Rate(done.Mid))
	if offered, ok := r.Estimate(metric.Offered); ok {
		s += " of " + text.Rate(offered.Mid)
	}
	s += " completed"
	for _, q := range []string{"p99", "p50"} {
		unit := metric.StatisticOf(q, metric.Response)
		if _, ok := r.Estimate(unit); ok {
			s += fmt.Sprintf(", %s %s", q, r.ShowInWords(unit))
			break
		}
	}
	if share := r.Ending(); share > 0 {
		s += fmt.Sprintf("; too short to measure throughput: %s of the time is after the last "+
			"arrival",
			text.Share(share))
	}
	d := r.Doubts()
	if d == nil {
		return s
	}
	return s + fmt.Sprintf("; %s (%s)", d.Verdict,
		strings.Join(text.Texts(d.Why, results.Doubt.Check), ", "))
}

// rowsUsedUp returns 0 unless an attack has used all rows of data.
func rowsUsedUp(all []execute.Record) int {
	for _, rec := range all {
		if n := rec.Answers.RowsUsedUp; n > 0 {
			return n
		}
	}
	return 0
}

func total(cell results.Cell, unit string) int {
	sum := 0.0
	for _, run := range cell {
		v, _ := run.Value(unit)
		sum += math.Round(v * float64(run.Iters))
	}
	return int(sum)
}

func showAnswered(e *loadSeries, rows []Row) {
	fmt.Fprintln(e.Stdout)
	for k, r := range rows {
		var words []string
		for _, c := range loadShares {
			if v, ok := r.Estimate(c.Unit); ok && v.Mid != 0 {
				words = append(words, text.Metric(c.Unit, v.Mid)+" "+c.Head)
			}
		}
		// number of attempts that the server received per request
		if v, ok := r.Estimate(metric.Attempts); ok && v.Mid > 1 {
			words = append(words, text.Digits(v.Mid)+" attempts a request")
		}
		if n := total(r.Cell, metric.Resent); n > 0 {
			words = append(words, "retried on a fresh connection: "+strconv.Itoa(n))
		}
		var statuses, errors []attack.Count
		resumed, over := false, ""
		for _, rec := range e.section(k) {
			statuses = append(statuses, rec.Answers.Statuses...)
			errors = append(errors, rec.Answers.Errors...)
			over = cmp.Or(over, rec.Answers.Over)
			resumed = resumed || rec.Answers.Resumed
		}
		if over != "" {
			words = append(words, over)
		}
		streams := cmp.Or(e.loads[k].plan.Streams, attack.DefaultStreams)
		if v, ok := r.Estimate(metric.StreamLimit); ok && int(v.Mid) < streams {
			words = append(words, "the server allows "+
				text.Count(int(v.Mid), "stream")+" on a connection")
		}
		if n := rowsUsedUp(e.section(k)); n > 0 {
			words = append(words, fmt.Sprintf("all %s of data used once", text.Count(n, "row")))
		}
		words = append(words, spellCounts("status ", statuses)...)
		words = append(words, spellCounts("", errors)...)
		if resumed && len(statuses)+len(errors) > 0 {
			words = append(words, "statuses and errors since --resume")
		}
		if len(words) > 0 {
			s := r.Strategy + ": " + strings.Join(words, ", ")
			e.Paragraph("  ", s, Width)
		}
		if note := e.notes[k]; note != "" {
			e.Paragraph("  ", r.Strategy+": "+note, Width)
		}
		e.showFailures(k, r.Strategy)
		if s := traffic(r.Cell); s != "" {
			e.Paragraph("  ", r.Strategy+": "+s, Width)
		}
		if s := e.traces(k); s != "" {
			e.Paragraph("  ", r.Strategy+": "+s, Width)
		}
		for _, rec := range e.section(k) {
			for _, g := range rec.Answers.Agents {
				fmt.Fprintln(e.Stdout, text.Wrapped("  ", "agent on "+g.String(), Width))
			}
		}
	}
}
