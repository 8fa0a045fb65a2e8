package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/rundir"
)

// loadColumns are those of the table: 80 characters with the longest name of a strategy.
var loadColumns = []column{
	{"throughput", "ops/s", true, rate},
	{"p50", "p50-response-sec", true, seconds},
	{"p99", "p99-response-sec", true, seconds},
	{"p99 service", "p99-service-sec", true, seconds},
	{"p99 lag", "p99-lag-sec", true, seconds},
}

// loadShares are said below it, where they are not 0.
var loadShares = []column{
	{"shed", "shed/op", false, share},
	{"throttled", "throttled/op", false, share},
	{"failed", "failed/op", false, share},
	{"abandoned", "abandoned/op", false, share},
	{"sent again", "resent/op", false, share},
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
		report = filepath.Join(e.path, rundir.ReportFile)
	}
	if format == "json" {
		return a.json(e.document(kind, report))
	}
	if len(e.reports) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout, wrapped(heading+(&group{rows: e.rows}).repetitions(), "  "))
	for _, r := range e.rows {
		if text := r.completed(); text != "" {
			fmt.Fprintln(a.stdout, wrapped(text, "  "))
		}
	}
	fmt.Fprintln(a.stdout)
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
  p50 and p99 are of the response, which counts from the instant a request was
  due; service counts from its sending; lag is how late it was sent.
Report: %s
`, report)
	return err
}

func (e *loaded) document(kind, report string) loadDocument {
	doc := loadDocument{
		head: newHead(kind), Dir: e.path, Results: filepath.Join(e.path, rundir.ResultsFile),
		Report:  report,
		Planned: e.planned, Complete: len(e.reports) == e.planned && e.cut == nil,
		Runs: []loadLine{}, Failed: e.failed,
	}
	if e.cut != nil {
		doc.Cut = e.cut.Error()
	}
	for _, r := range e.reports {
		doc.Runs = append(doc.Runs, loadLine{newRunLine(r.Result), r.Statuses, r.Errors})
	}
	return doc
}

// completed says what came of a load, in a sentence; "" where it has no results.
func (r row) completed() string {
	done, ok := r.value("ops/s")
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s: %s completed", r.strategy, rate(done))
	if offered, ok := r.value("offered-ops/s"); ok {
		text += " of " + rate(offered) + " that came"
	}
	for _, q := range []struct{ name, of string }{{"p99", "99 in 100"}, {"p50", "half of them"}} {
		if v, ok := r.value(q.name + "-response-sec"); ok {
			return text + fmt.Sprintf(", %s within %s", q.of, seconds(v))
		}
	}
	return text
}

// wrapped breaks a line at its blanks where it would have more than 80 characters; begin begins the
// others.
func wrapped(text, begin string) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.Split(text, " ") {
		switch length := len([]rune(word)); {
		case i == 0:
		case n+1+length > 80:
			b.WriteString("\n" + begin)
			n = len(begin)
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len([]rune(word))
	}
	return b.String()
}

func (e *loaded) table(to io.Writer) error {
	cells := []string{"strategy"}
	if !slices.ContainsFunc(e.rows,
		func(r row) bool {
			return len(r.results) > 0 && strings.Contains(r.results[0].Name, "/strategy=")
		}) {
		cells[0] = "target"
	}
	width := len(cells[0])
	for _, r := range e.rows {
		width = max(width, len([]rune(r.strategy)))
	}
	for _, c := range loadColumns {
		cells = append(cells, c.head)
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	writeRow(w, width, cells)
	for _, r := range e.rows {
		if len(r.results) == 0 {
			continue
		}
		cells := []string{r.strategy}
		for _, c := range loadColumns {
			cells = append(cells, r.spell(c))
		}
		writeRow(w, width, cells)
	}
	return w.Flush()
}

// answers says, for every load, which statuses and errors came, over all repetitions, and what
// share was not completed.
func (e *loaded) answers(to io.Writer) {
	fmt.Fprintln(to)
	for _, r := range e.rows {
		var words []string
		for _, c := range loadShares {
			if v, _ := r.value(c.unit); v != 0 {
				words = append(words, c.spell(v)+" "+c.head)
			}
		}
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
			fmt.Fprintln(to, wrapped(fmt.Sprintf("  %s: %s", r.strategy, strings.Join(words, ", ")),
				"    "))
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
