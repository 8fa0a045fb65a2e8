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

// Limit is the axis of a search for the smallest limit. Searches on other axes are for the largest
// value.
const Limit = "limit"

// A SearchResult is a strategy's result of a capacity search. It meets the objective at Met and
// misses it at Missed. Each may be NaN.
type SearchResult struct {
	Name         string
	Style        int
	Met, Missed  float64
	results.Cell // the answer, with the losses at Met
}

// A Search contains the results of a search for the highest load or rate, the longest queue or the
// smallest limit that meets an objective.
type Search struct {
	Axis      string // load, rate, queue, limit
	From, To  float64
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
	if s.Axis == Limit {
		return s.ofLimits(decided, undecided), true
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
	a.addUndecided(undecided)
	bars := Fact{Title: s.superlative() + " " + s.Axis + " that meets it"}
	for _, f := range decided {
		bars.Bars = append(bars.Bars, Bar{Label: f.withLosses(), Value: s.interval(f), Style: f.Style,
			Share: f.metUpTo() / max(best.metUpTo(), math.SmallestNonzeroFloat64)})
	}
	a.Facts = append(a.Facts, bars.shortened())
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

func (a *Answer) addUndecided(texts []string) {
	if n := len(texts); n > 0 {
		a.Headline += fmt.Sprintf("; %d undecided", n)
		a.Facts = append(a.Facts, Fact{Title: "Undecided", Text: strings.Join(texts, "; ")})
	}
}

func (f Fact) shortened() Fact {
	if more := len(f.Bars) - maxBars; more > 0 {
		f.Bars = f.Bars[:maxBars]
		f.Text = fmt.Sprintf("%d more are in the figure.", more)
	}
	return f
}

func (s Search) superlative() string {
	if s.Axis == "queue" {
		return "Longest"
	}
	return "Highest"
}

// ofLimits names all strategies with the best answer, and the worst answer.
func (s Search) ofLimits(decided []SearchResult, undecided []string) (a Answer) {
	slices.SortStableFunc(decided, func(a, b SearchResult) int {
		return cmp.Compare(a.smallest(), b.smallest())
	})
	classes := results.Gather(decided, func(f SearchResult) string {
		return fmt.Sprint(f.Met, f.Missed, lossesOf(f.Cell))
	})
	who := func(class []SearchResult) string {
		names := text.Texts(class, func(f SearchResult) string { return f.Name })
		return text.List(text.Truncate(names, maxBars)) + lossesOf(class[0].Cell)
	}
	best, worst := classes[0], classes[len(classes)-1]
	switch {
	case math.IsNaN(best[0].Met):
		a.Headline = fmt.Sprintf("No limit up to %v meets %s with %s", s.To, s.Objective, who(best))
	default:
		a.Headline = fmt.Sprintf("The smallest limit that meets %s is %s with %s", s.Objective,
			s.limits(best[0]), who(best))
		switch {
		case len(classes) == 1:
		case math.IsNaN(worst[0].Met):
			a.Headline += fmt.Sprintf("; with %s no limit up to %v meets it", who(worst), s.To)
		default:
			a.Headline += fmt.Sprintf(", and %s with %s", s.limits(worst[0]), who(worst))
		}
	}
	if n := len(classes) - 2; n > 0 {
		a.Headline += fmt.Sprintf("; %s in between", text.Count(n, "answer"))
	}
	a.addUndecided(undecided)
	bars := Fact{Title: "Smallest limit that meets it"}
	for _, f := range decided {
		bars.Bars = append(bars.Bars, Bar{Label: f.withLosses(), Value: s.limits(f), Style: f.Style,
			Share: min(f.smallest(), s.To) / s.To})
	}
	a.Facts = append(a.Facts, bars.shortened())
	return a
}

func (f SearchResult) smallest() float64 {
	if math.IsNaN(f.Met) {
		return math.Inf(1)
	}
	return f.Met
}

func (s Search) limits(f SearchResult) string {
	return results.SmallestLimits(f.Met, f.Missed, s.To, true)
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

func (s Search) number(v float64) string {
	if s.Axis == "queue" {
		return formatWhole(v)
	}
	return text.Digits(v)
}

func (s Search) upTo(f SearchResult) string {
	switch {
	case math.IsNaN(f.Met):
		return fmt.Sprintf("at no %s from %s on", s.Axis, s.number(min(s.From, f.Missed)))
	case math.IsNaN(f.Missed):
		return fmt.Sprintf("up to %s %s, the highest tried", s.Axis, s.number(f.Met))
	}
	return fmt.Sprintf("up to %s %s to %s", s.Axis, s.number(f.Met),
		s.number(f.Missed))
}

func (s Search) interval(f SearchResult) string {
	switch {
	case math.IsNaN(f.Met):
		return "below " + s.number(f.Missed)
	case math.IsNaN(f.Missed):
		return "at least " + s.number(f.Met)
	}
	return s.number(f.Met) + " to " + s.number(f.Missed)
}
