package trend

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/table"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// WritePage writes a trend as a self-contained HTML page.
func WritePage(w io.Writer, t *Trend) error {
	suspects := t.suspects()
	p := shell.Page{Title: "trend", Subtitle: t.Summary(),
		Answer: shell.Answer{Headline: t.headline(suspects), Facts: t.facts(suspects)},
		Trust:  t.badges(), Basis: fmt.Sprintf("The probability of any false alarm is at most %s.",
			percentText(t.Options.Alpha)), CSS: table.CSS}
	figures, err := t.figures(suspects)
	if err != nil {
		return err
	}
	if len(figures) > 0 {
		p.Figure, figures = &figures[0], figures[1:]
	}
	var tables []templ.Component
	short, _ := t.shortNames()
	for _, s := range slices.Backward(suspects) {
		changes := t.changeTable(s.Rows, short)
		changes.Title = "Since " + t.name(s)
		tables = append(tables, changes.HTML(changes.Title))
	}
	p.Add(len(tables) > 0, "suspects", "Suspects",
		table.Section("suspects", "Suspects", "", tables...))
	p.Add(len(figures) > 0, "metrics", "Metrics", table.Section("metrics", "The other metrics",
		fmt.Sprintf("%d drawn", len(figures)), figures...))
	p.Add(len(t.Notes()) > 0, "notes", "Notes", shell.Listed("notes", "Notes", t.Notes()))
	return p.Write(w)
}

// Results count from 1.
func (t *Trend) result(at int) string { return fmt.Sprintf("%d (%s)", at+1, t.Results[at]) }

func (t *Trend) name(s suspect) string {
	if s.At == s.Last {
		return "result " + t.result(s.At)
	}
	return "results " + t.result(s.At) + " to " + t.result(s.Last)
}

// headline returns the latest suspect with a change for the worse, or else the latest of any.
// Without a suspect it returns why.
func (t *Trend) headline(suspects []suspect) string {
	switch {
	case t.Undecided:
		return t.Summary()
	case len(suspects) == 0:
		return fmt.Sprintf("No change in %s over %s", text.Count(t.Tested, "varying series"),
			text.Count(len(t.Results), "result"))
	}
	latest := suspects[len(suspects)-1]
	for _, s := range suspects {
		if s.count("worse") > 0 {
			latest = s
		}
	}
	first := largest(latest)
	short, _ := t.shortNames()
	since := "Since"
	if first.Doubt != "" {
		since = first.Doubt + ": since"
	}
	headline := fmt.Sprintf("%s %s the %s of %s is %s", since, t.name(latest),
		shell.Metric(first.Unit), shell.Benchmark(short[first.Benchmark]),
		shell.Change(float64(first.Ratio)))
	if n := len(latest.Rows); n > 1 {
		headline += fmt.Sprintf("; %d series change there", n)
	}
	return headline
}

func (t *Trend) facts(suspects []suspect) (facts []shell.Fact) {
	for _, s := range slices.Backward(suspects[max(0, len(suspects)-3):]) {
		facts = append(facts, shell.Fact{Title: t.name(s),
			Text: fmt.Sprintf("%s: %d worse, %d better, %d without a direction.",
				text.Count(len(s.Rows), "change"), s.count("worse"), s.count("better"),
				s.count("differs"))})
	}
	return facts
}

// Changes for the worse come first.
func largest(s suspect) (out row) {
	for i, r := range s.Rows {
		worse, had := r.Word == "worse", out.Word == "worse"
		if i == 0 || worse && !had || worse == had && r.size() > out.size() {
			out = r
		}
	}
	return out
}

func (t *Trend) badges() (out []shell.Badge) {
	counts, doubtful, suspect := make(map[string]int), 0, 0
	for _, s := range t.Series {
		for _, c := range s.Changes {
			counts[c.Word]++
			if c.Doubt != "" {
				suspect++
			}
		}
		if s.Doubtful && len(s.Changes) > 0 {
			doubtful++
		}
	}
	add := func(kind, text string, n int) {
		if n > 0 {
			out = append(out, shell.Badge{Kind: kind, Text: fmt.Sprintf("%d %s", n, text)})
		}
	}
	add("bad", "worse", counts["worse"])
	add("ok", "better", counts["better"])
	add("warn", "without a direction", counts["differs"])
	add("warn", "of them SUSPECT", suspect)
	add("warn", "in doubt: autocorrelated", doubtful)
	add("", "series tested", t.Tested)
	add("", "results", len(t.Results))
	return out
}

// The headline's metric comes first. Metrics without a change come last.
func (t *Trend) figures(suspects []suspect) (out []shell.Figure, err error) {
	var units []string
	for _, s := range slices.Backward(suspects) {
		units = append(units, largest(s).Unit)
		for _, r := range s.Rows {
			units = append(units, r.Unit)
		}
	}
	units = append(units, t.units()...)
	for _, unit := range text.Distinct(units) {
		c, err := Chart(t, unit)
		f, err := shell.Drawn("trend-"+strconv.Itoa(len(out)+1),
			"A ring marks the first result of a new level, with the size of the change.", c, err)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}
