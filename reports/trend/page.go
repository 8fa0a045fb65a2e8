package trend

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/page/shell"
)

type pageSuspect struct {
	Title string
	Rows  [][]string
}

// WritePage writes a trend as a self-contained HTML page: the results with changes, and each metric
// through the results.
func WritePage(w io.Writer, t *Trend) error {
	suspects := t.suspects()
	p := shell.Page{Title: "trend", Subtitle: t.Summary(), Answer: t.found(suspects),
		Trust: t.badges(), Basis: fmt.Sprintf("The chance of any false alarm is at most %s.",
			percentText(t.Options.Alpha))}
	figures, err := t.figures(suspects)
	if err != nil {
		return err
	}
	if len(figures) > 0 {
		p.Figure, figures = &figures[0], figures[1:]
	}
	var shown []pageSuspect
	for _, s := range slices.Backward(suspects) {
		shown = append(shown, t.show(s))
	}
	p.Add(len(shown) > 0, "suspects", "Suspects", suspected(shown))
	p.Add(len(figures) > 0, "metrics", "Metrics", metrics(figures))
	p.Add(len(t.Notes()) > 0, "notes", "Notes", shell.Listed("notes", "Notes", t.Notes()))
	return p.Write(w)
}

// result names a result, counting from 1.
func (t *Trend) result(at int) string { return fmt.Sprintf("%d (%s)", at+1, t.Results[at]) }

// name names a suspect: "result 12 (a1b2)", "results 12 (a1b2) to 13 (c3d4)".
func (t *Trend) name(s suspect) string {
	if s.At == s.Last {
		return "result " + t.result(s.At)
	}
	return "results " + t.result(s.At) + " to " + t.result(s.Last)
}

// found returns the latest suspect with a change for the worse, or else the latest of any, with its
// largest change.
func (t *Trend) found(suspects []suspect) (a shell.Answer) {
	switch {
	case t.Undecided:
		a.Headline = "Nothing is tested: " + text.Count(len(t.Results), "result") +
			fmt.Sprintf(", and a change needs %d or more to be distinguished from chance", t.Enough)
		return a
	case len(suspects) == 0:
		a.Headline = fmt.Sprintf("No change in %s over %s",
			text.Count(t.Tested, "varying series"), text.Count(len(t.Results), "result"))
		return a
	}
	latest := suspects[len(suspects)-1]
	for _, s := range suspects {
		if s.count("worse") > 0 {
			latest = s
		}
	}
	first := largest(latest)
	a.Headline = fmt.Sprintf("Since %s the %s of %s is %s", t.name(latest),
		shell.Metric(first.Unit), shell.Benchmark(first.Benchmark),
		shell.Change(float64(first.Ratio)))
	if first.Doubt != "" {
		a.Headline = first.Doubt + ": since" + strings.TrimPrefix(a.Headline, "Since")
	}
	if n := len(latest.Rows); n > 1 {
		a.Headline += fmt.Sprintf("; %d series step there", n)
	}
	for _, s := range slices.Backward(suspects) {
		if len(a.Facts) == 3 {
			break
		}
		a.Facts = append(a.Facts, shell.Fact{Title: t.name(s),
			Text: fmt.Sprintf("%s: %d worse, %d better, %d without a direction.",
				text.Count(len(s.Rows), "change"), s.count("worse"), s.count("better"),
				s.count("differs"))})
	}
	return a
}

// largest returns the largest change for the worse of a suspect, or without one its largest change.
func largest(s suspect) (out row) {
	for i, r := range s.Rows {
		worse, had := r.Word == "worse", out.Word == "worse"
		if i == 0 || worse && !had || worse == had && r.size() > out.size() {
			out = r
		}
	}
	return out
}

// badges counts the changes, and the doubts on them.
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

// figures draws each metric, first the headline's, last those without a change.
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
			"A ring marks the first result of a new level, with the change to it.", c, err)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

func (t *Trend) show(s suspect) pageSuspect {
	out := pageSuspect{Title: "Since " + t.name(s)}
	for _, r := range s.Rows {
		out.Rows = append(out.Rows, append([]string{r.Benchmark, r.Unit}, r.cells()...))
	}
	return out
}
