package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/reports"
)

// loadColumns are those of the table.
var loadColumns = []column{
	{"throughput", "ops/s", true, rate},
	{"mean response", "mean-response-sec", true, seconds},
	{"p50", "p50-response-sec", true, seconds},
	{"p99", "p99-response-sec", true, seconds},
	{"p99 service", "p99-service-sec", true, seconds},
	{"p99 lag", "p99-lag-sec", true, seconds},
	{"shed", "shed/op", false, share},
	{"throttled", "throttled/op", false, share},
	{"failed", "failed/op", false, share},
	{"abandoned", "abandoned/op", false, share},
}

// A loadDocument is what attack and gateway print with --format json.
type loadDocument struct {
	head
	Dir      string     `json:"dir"`
	Results  string     `json:"results"`
	Report   string     `json:"report,omitempty"`
	Planned  int        `json:"planned"`
	Complete bool       `json:"complete"`
	Cut      string     `json:"interrupted,omitempty"`
	Runs     []loadLine `json:"runs"`
	Failed   []failure  `json:"failed,omitempty"`
}

// A loadLine is one result.
type loadLine struct {
	runLine
	Statuses []attack.Count `json:"statuses,omitempty"`
	Errors   []attack.Count `json:"errors,omitempty"`
}

func (a *app) showLoaded(kind, heading string, e *loaded, format string, reported bool) error {
	report := ""
	if reported && len(e.reports) > 0 {
		report = filepath.Join(e.path, reports.ReportFile)
	}
	if format == "json" {
		return a.json(e.document(kind, report))
	}
	if len(e.reports) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout, heading+(&group{rows: e.rows}).repetitions())
	if err := e.table(a.stdout); err != nil {
		return err
	}
	e.answers(a.stdout)
	var records []record
	for _, r := range e.reports {
		records = append(records, record{result: r.Result})
	}
	if !e.quiet {
		a.warn(suspects(records))
	}
	_, err := fmt.Fprintf(a.stdout, `
Report: %s
  Response counts from the instant a request was due; service from its sending; lag is by how much it was sent too late.
`, report)
	return err
}

func (e *loaded) document(kind, report string) loadDocument {
	doc := loadDocument{
		head: newHead(kind), Dir: e.path, Results: filepath.Join(e.path, reports.ResultsFile), Report: report,
		Planned: e.planned, Complete: len(e.reports) == e.planned && e.cut == nil, Runs: []loadLine{}, Failed: e.failed,
	}
	if e.cut != nil {
		doc.Cut = e.cut.Error()
	}
	for _, r := range e.reports {
		doc.Runs = append(doc.Runs, loadLine{newRunLine(r.Result), r.Statuses, r.Errors})
	}
	return doc
}

func (e *loaded) table(to io.Writer) error {
	first := "strategy"
	width := len(first)
	for _, r := range e.rows {
		width = max(width, len([]rune(r.strategy)))
	}
	var shown []column
	cells := []string{first}
	for _, c := range loadColumns {
		needed := c.always
		for _, r := range e.rows {
			v, _ := r.value(c.unit)
			needed = needed || v != 0
		}
		if needed {
			shown = append(shown, c)
			cells = append(cells, c.head)
		}
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	writeRow(w, width, cells)
	for _, r := range e.rows {
		if len(r.results) == 0 {
			continue
		}
		cells := []string{r.strategy}
		for _, c := range shown {
			cells = append(cells, r.spell(c))
		}
		writeRow(w, width, cells)
	}
	return w.Flush()
}

// answers says, for every load, which statuses and errors came, over all repetitions.
func (e *loaded) answers(to io.Writer) {
	fmt.Fprintln(to)
	for _, r := range e.rows {
		var words []string
		for _, kind := range []struct {
			before string
			counts func(*attack.Report) []attack.Count
		}{
			{"status ", func(r *attack.Report) []attack.Count { return r.Statuses }},
			{"", func(r *attack.Report) []attack.Count { return r.Errors }},
		} {
			var sum []attack.Count
			for _, report := range e.reports {
				if !r.has(report.Result) {
					continue
				}
				for _, c := range kind.counts(report) {
					sum = addCount(sum, c)
				}
			}
			words = append(words, spellCounts(kind.before, sum)...)
		}
		if len(words) > 0 {
			fmt.Fprintf(to, "  %s: %s\n", r.strategy, strings.Join(words, ", "))
		}
	}
}

func addCount(sum []attack.Count, c attack.Count) []attack.Count {
	for i := range sum {
		if sum[i].What == c.What {
			sum[i].N += c.N
			return sum
		}
	}
	return append(sum, c)
}

func (r row) has(result *bench.Result) bool {
	for _, x := range r.results {
		if x == result {
			return true
		}
	}
	return false
}
