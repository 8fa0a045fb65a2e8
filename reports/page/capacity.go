package page

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
	"github.com/poolbench/poolbench/reports/results"
)

// Answers are named Capacity/strategy=…/load=0.1..1.2/…/objective=….
const capacityBase = "Capacity"

type capacitySearch struct {
	axis      string  // load, rate, limit, queue
	from, to  float64 // searched range
	objective string
	facts     []string
	confident string // percentage. "" for a server, which has few probes
	found     []shell.SearchResult
}

func splitSearches(all *results.Results) (runs *results.Results, searches []*capacitySearch) {
	rest := *all
	rest.Runs = nil
	at := make([]int, len(all.Runs)) // index of a run among the remaining runs
	byKeys := make(map[string]*capacitySearch)
	for i := range all.Runs {
		run := &all.Runs[i]
		if run.Base() != capacityBase {
			at[i] = len(rest.Runs)
			rest.Runs = append(rest.Runs, *run)
			continue
		}
		at[i] = -1
		s, ok := searchOf(run)
		if !ok {
			continue
		}
		id := fmt.Sprintln(s.axis, s.from, s.to, s.objective, s.facts, s.confident)
		if byKeys[id] == nil {
			byKeys[id] = s
			searches = append(searches, s)
		}
		byKeys[id].add(all, run)
	}
	if len(rest.Runs) == 0 {
		return all, nil
	}
	rest.Findings = slices.Clone(rest.Findings)
	for i := range rest.Findings {
		f := &rest.Findings[i]
		var runs []int
		for _, run := range f.Runs {
			if at[run] >= 0 {
				runs = append(runs, at[run])
			}
		}
		f.Runs = runs
	}
	return &rest, searches
}

func searchOf(run *results.Run) (s *capacitySearch, ok bool) {
	s = &capacitySearch{confident: "95 %"}
	var rest []results.Pair
	for _, k := range run.Keys {
		switch k.Key {
		case "strategy":
		case "load", "rate", "limit", "queue":
			from, to, searched := strings.Cut(k.Value, "..")
			switch {
			case searched:
				s.axis, s.from, s.to = k.Key, Number(from), Number(to)
			case k.Key != "queue":
				rest = append(rest, k)
			}
		case "objective":
			s.objective = k.Value
		case "confidence":
			s.confident = fmt.Sprintf("%.4g %%", 100*Number(k.Value))
		default:
			rest = append(rest, k)
		}
	}
	if run.Key("workload") == "" {
		s.confident = ""
	}
	s.facts = results.Words(rest)
	return s, s.from < s.to && s.objective != ""
}

func (s *capacitySearch) add(all *results.Results, run *results.Run) {
	end := func(unit string) float64 {
		if v, ok := run.Value(unit); ok {
			return v
		}
		return math.NaN()
	}
	f := shell.SearchResult{Name: cmp.Or(run.Key("strategy"), run.Key("target")),
		Met: end(metric.CapacityMet(s.axis)), Missed: end(metric.CapacityMissed(s.axis)),
		Cell: results.Cell{run}}
	f.Style = max(slices.Index(all.Strategies, f.Name), 0)
	if at := slices.IndexFunc(s.found,
		func(o shell.SearchResult) bool { return o.Name == f.Name }); at >= 0 {
		s.found[at] = f
		return
	}
	s.found = append(s.found, f)
}

func (s *capacitySearch) undecided() (n int) {
	for _, f := range s.found {
		if f.Undecided() != "" {
			n++
		}
	}
	return n
}

// basis describes the confidence of the answers.
func (s *capacitySearch) basis() string {
	switch {
	case s.undecided() == len(s.found):
		return ""
	case s.confident == "":
		return "An interval is between two probes: no confidence is known."
	case s.axis == shell.Limit:
		return "The smallest limit is known with " + s.confident + " confidence."
	}
	return "Intervals contain the capacity with " + s.confident + " confidence."
}

func (s *capacitySearch) charted() bool { return s.axis == "load" || s.axis == "rate" }

// figure returns nil, with the reason in notes, if no strategy has an answer. For limits and
// queues, a chart of the runs is the figure.
func (s *capacitySearch) figure() (f *figure, notes []string, err error) {
	if !s.charted() {
		return nil, nil, nil
	}
	across := charts.Load
	if s.axis == "rate" {
		across = charts.Rate
	}
	title := "Capacity for " + s.objective
	var found []charts.CapacityBar
	for _, f := range s.found {
		if f.Undecided() == "" {
			found = append(found,
				charts.CapacityBar{Name: f.Name, Style: f.Style, Met: f.Met, Missed: f.Missed})
		}
	}
	chart, err := charts.Capacity(title, across, s.from, s.to, found)
	if empty, ok := errors.AsType[*charts.EmptyError](err); ok {
		return nil, append(empty.Notes, title+": undecided"), nil
	} else if err != nil {
		return nil, nil, err
	}
	chart.Subtitle = strings.Join(s.facts, " · ")
	f = &figure{name: charts.FileName("capacity-" + s.objective + "-" + strings.Join(s.facts, "-")),
		chart: chart, caption: s.caption()}
	chart.Alt = title + ". " + f.caption
	return f, chart.Notes, nil
}

func (s *capacitySearch) caption() string {
	what := s.axis
	out := []string{fmt.Sprintf("The highest %s that meets %s is in the bar, with %s confidence. "+
		"The objective is met at the left end and missed at the right end.", what, s.objective, s.confident)}
	if s.confident == "" {
		out[0] = fmt.Sprintf("The highest %s that meets %s is in the bar. A probe met the "+
			"objective at the left end, and another missed it at the right end.", what, s.objective)
	}
	decided := slices.DeleteFunc(slices.Clone(s.found), func(f shell.SearchResult) bool {
		return f.Undecided() != ""
	})
	open := slices.ContainsFunc(decided, func(f shell.SearchResult) bool {
		return math.IsNaN(f.Met) != math.IsNaN(f.Missed)
	})
	if open {
		out = append(out,
			fmt.Sprintf("An arrow means that the search, from %s to %s, found no bound.",
				charts.Count(s.from), charts.Count(s.to)))
	}
	closed := slices.DeleteFunc(decided, func(f shell.SearchResult) bool {
		return math.IsNaN(f.Met) || math.IsNaN(f.Missed)
	})
	slices.SortStableFunc(closed, func(a, b shell.SearchResult) int {
		return cmp.Compare(a.Met, b.Met)
	})
	if n := len(closed); n > 1 {
		low, high := closed[0], closed[n-1]
		if low.Missed <= high.Met {
			least := math.Floor(100*high.Met/low.Missed) / 100
			name := high.Name
			if loss := high.LossWords(); loss != "" {
				name += " (" + loss + ")"
			}
			out = append(out, fmt.Sprintf("%s reaches at least %s times the %s of %s.", name,
				charts.Count(least), what, low.Name))
		} else {
			out = append(out, "Overlapping bars are not significantly different.")
		}
	}
	return strings.Join(out, " ")
}
