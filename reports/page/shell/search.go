package shell

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A SearchResult is a strategy's result of a capacity search. It meets the objective at Met and
// misses it at Missed. Each may be NaN.
type SearchResult struct {
	Name         string
	Style        int
	Met, Missed  float64
	results.Cell // the answer, with the losses at Met
}

// A Search contains the results of a search for the highest load or rate that meets an objective.
type Search struct {
	Axis      string  // load, rate
	From      float64 // start of the searched range
	Objective string
	Found     []SearchResult
}

// OfSearch returns the answer. ok is false if nothing is decided.
func OfSearch(s Search) (a Answer, ok bool) {
	undecided := s.undecided()
	decided := slices.DeleteFunc(slices.Clone(s.Found), func(f SearchResult) bool {
		return math.IsNaN(f.Met) && math.IsNaN(f.Missed) || f.Undecided() != ""
	})
	if len(decided) == 0 {
		a.Headline = strings.Join(undecided, "; ")
		return a, len(undecided) > 0
	}
	slices.SortStableFunc(decided, func(a, b SearchResult) int {
		return cmp.Compare(b.metUpTo(), a.metUpTo())
	})
	best, worst := decided[0], decided[len(decided)-1]
	a.Headline = fmt.Sprintf("%s meets %s %s", best.withLosses(), s.Objective, s.upTo(best))
	var ties []string
	told := func(f SearchResult) bool { return f.Missed <= best.Met }
	for _, f := range decided[1:] {
		if !told(f) {
			ties = append(ties, f.Name)
		}
	}
	lossless := slices.IndexFunc(decided, func(f SearchResult) bool {
		return f.Lost() == 0 && !math.IsNaN(f.Met)
	})
	spared := ""
	switch {
	case lossless > 0:
		f := decided[lossless]
		spared = fmt.Sprintf("; with no task lost %s, %s", f.Name, s.upTo(f))
	case best.Lost() > 0 && lossless < 0 && len(decided) > 1:
		spared = "; all that meet it lose tasks"
	}
	if len(decided) > 1 && told(worst) {
		who := worst.withLosses()
		if lossless > 0 && worst.Lost() == 0 && worst.metUpTo() == decided[lossless].metUpTo() {
			who, spared = who+" (no task lost)", ""
		}
		only := "only "
		if math.IsNaN(worst.Met) {
			only = ""
		}
		a.Headline += fmt.Sprintf("; %s %s%s", who, only, s.upTo(worst))
	} else if len(decided) > 1 {
		a.Headline += "; no significant difference"
	}
	a.Headline += spared
	if n := len(undecided); n > 0 {
		a.Headline += fmt.Sprintf("; %d undecided", n)
		a.Facts = append(a.Facts, Fact{Title: "Undecided", Text: strings.Join(undecided, "; ")})
	}
	bars := Fact{Title: "Highest " + s.Axis + " that meets it"}
	for _, f := range decided {
		bars.Bars = append(bars.Bars, Bar{Label: f.withLosses(), Value: f.interval(), Style: f.Style,
			Share: f.metUpTo() / max(best.metUpTo(), math.SmallestNonzeroFloat64)})
	}
	if more := len(bars.Bars) - maxBars; more > 0 {
		bars.Bars = bars.Bars[:maxBars]
		bars.Text = fmt.Sprintf("%d more are in the figure.", more)
	}
	a.Facts = append(a.Facts, bars)
	tie := "No other interval overlaps that of " + best.Name + "."
	if len(ties) > 0 {
		tie = fmt.Sprintf("%s %s not significantly different from %s.", text.Abbreviate(ties),
			isAre(len(ties)), best.Name)
	}
	if len(decided) > 1 {
		a.Facts = append(a.Facts, Fact{Title: "Ties", Text: tie})
	}
	return a, true
}

// Undecided returns why the search has no answer, or "".
func (f SearchResult) Undecided() string {
	if len(f.Cell) == 0 {
		return ""
	}
	return f.Cell[0].Undecided
}

func (s Search) undecided() (texts []string) {
	for _, f := range s.Found {
		if text := f.Undecided(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func (f SearchResult) withLosses() string { return f.Name + lossesOf(f.Cell) }

func (f SearchResult) metUpTo() float64 {
	if math.IsNaN(f.Met) {
		return 0
	}
	return f.Met
}

func (s Search) upTo(f SearchResult) string {
	switch {
	case math.IsNaN(f.Met):
		return fmt.Sprintf("at no %s from %s on", s.Axis, text.Digits(min(s.From, f.Missed)))
	case math.IsNaN(f.Missed):
		return fmt.Sprintf("up to %s %s, the highest tried", s.Axis, text.Digits(f.Met))
	}
	return fmt.Sprintf("up to %s %s to %s", s.Axis, text.Digits(f.Met),
		text.Digits(f.Missed))
}

func (f SearchResult) interval() string {
	switch {
	case math.IsNaN(f.Met):
		return "below " + text.Digits(f.Missed)
	case math.IsNaN(f.Missed):
		return "at least " + text.Digits(f.Met)
	}
	return text.Digits(f.Met) + " to " + text.Digits(f.Missed)
}
