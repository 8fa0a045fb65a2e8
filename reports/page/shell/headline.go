package shell

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// An Answer is the content of a first screen.
type Answer struct {
	Headline string
	Facts    []Fact
	Lead     string // line below: the claim of a study, or ""
	Next     string // command to paste, or ""

	Study string // its study, or ""
	Sweep int
	X     float64 // place in the sweep
	Unit  string  // the deciding metric
	score float64
}

// A Fact is a short text under a heading, with bars.
type Fact struct {
	Title, Text string
	Bars        []Bar
}

// A Bar is a class with a value.
type Bar struct {
	Label, Value string
	Share        float64 // of the longest bar
	Style        int     // colour of its first strategy
}

// Metrics of headlines, by preference.
const (
	goodput    = metric.Goodput
	throughput = metric.Throughput
)

var spoken = []string{metric.P99Response, metric.P50Response, metric.MeanResponse, metric.Makespan,
	"sec/op"}

// OfSweeps returns the most important answer.
func OfSweeps(sweeps []Sweep) (best Answer, ok bool) {
	best.score = -1
	for i, s := range sweeps {
		if a := s.Answer(); a.Headline != "" && a.score > best.score {
			a.Sweep = i
			best = a
		}
	}
	return best, best.Headline != ""
}

// Answer applies the first matching rule. Without a match, the headline is empty.
func (s Sweep) Answer() Answer {
	for _, rule := range []func(Sweep) Answer{Sweep.unusable, Sweep.single, Sweep.completedInTime,
		Sweep.fallBehind, Sweep.slower, Sweep.completedInAll, Sweep.noSignificantDifference,
		Sweep.oneComparable} {
		if a := rule(s); a.Headline != "" {
			a.Headline += s.bestForLabel(a)
			a.Facts = s.facts(a)
			return a
		}
	}
	return Answer{}
}

func (s Sweep) unusable() (a Answer) {
	if slices.ContainsFunc(s.Cases, mayWin) {
		return a
	}
	trust := TrustOf([]Sweep{s})
	none := trust.Invalid == len(s.Cases)
	if !none {
		s.Cases = slices.DeleteFunc(slices.Clone(s.Cases), func(c Case) bool {
			return c.Doubts().Verdict == results.Invalid
		})
	}
	x := slices.Max(s.places())
	a = Answer{Headline: fmt.Sprintf("SUSPECT (%s)", trust.Why), Unit: s.unit(x), X: x}
	switch {
	case none:
		a.Headline = fmt.Sprintf("No result is reliable: %s %s INVALID (%s)",
			text.Count(len(s.Cases), "scenario"), isAre(len(s.Cases)), trust.Why)
	case len(s.Cases) == 1 && s.Cases[0].Doubts().Unfinished():
		a.Headline = "The run is not over, or was cut off"
	}
	known := slices.DeleteFunc(s.at(x), func(c Case) bool { return math.IsNaN(c.Value(a.Unit)) })
	if len(known) == 0 {
		return a
	}
	known, unknown := splitByCertainty(known, a.Unit)
	if len(known) == 0 {
		a.Headline += fmt.Sprintf(": %sthere are too few tasks for the %s of %s (error above "+
			"±100 %%)", lower(s.prefix(x)), Metric(a.Unit), text.Abbreviate(strategies(unknown)))
		return a
	}
	byTime := func(x, y Case) int { return cmp.Compare(x.Value(a.Unit), y.Value(a.Unit)) }
	low, high := slices.MinFunc(known, byTime), slices.MaxFunc(known, byTime)
	reads := func(k Case) string {
		var alike []string
		for _, c := range known {
			if c.Alike(k.Cell) {
				alike = append(alike, c.Strategy)
			}
		}
		return fmt.Sprintf("%s with %s%s", k.ShowInWords(a.Unit), text.Abbreviate(alike),
			lossesOf(k.Cell))
	}
	a.Headline += fmt.Sprintf(": %sthe %s reads %s", lower(s.prefix(x)), Metric(a.Unit), reads(low))
	if !low.Alike(high.Cell) {
		a.Headline += ", " + reads(high)
	}
	if len(unknown) > 0 {
		a.Headline += fmt.Sprintf("; that of %s is unknown (error above ±100 %%)",
			text.Abbreviate(strategies(unknown)))
	}
	return a
}

func splitByCertainty(all []Case, unit string) (known, unknown []Case) {
	for _, c := range all {
		if c.Known(unit) {
			known = append(known, c)
		} else {
			unknown = append(unknown, c)
		}
	}
	return known, unknown
}

func strategies(of []Case) []string {
	return text.Texts(of, func(c Case) string { return c.Strategy })
}

// unit returns the preferred time with a known value at a place, or else the first.
func (s Sweep) unit(x float64) (first string) {
	for _, u := range spoken {
		if first != "" && !metric.IsOf(u, metric.Response) {
			break
		}
		for _, c := range s.at(x) {
			switch {
			case c.Known(u):
				return u
			case first == "" && !math.IsNaN(c.Value(u)):
				first = u
			}
		}
	}
	return first
}

func (s Sweep) single() (a Answer) {
	classes := s.Classes()
	if len(classes) != 1 {
		return a
	}
	whose, fall := classes[0].Names[0], "it falls"
	if n := len(classes[0].Names); n > 1 {
		whose, fall = fmt.Sprintf("%s coincide (%s)", text.Count(n, s.Of), classes[0]), "they fall"
	}
	cases := classes[0].cases
	unit := s.unit(cases[len(cases)-1].X)
	a = Answer{Unit: unit, X: cases[len(cases)-1].X}
	var parts []string
	steady := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		return c.FallsBehind() || math.IsNaN(c.Value(unit))
	})
	if known, _ := splitByCertainty(steady, unit); len(known) > 0 {
		steady = known
	}
	if n := len(steady); n > 0 {
		low, high := steady[0], steady[n-1]
		a.X = high.X
		value := func(c Case) string {
			said := c.ShowInWords(unit) + lossesOf(c.Cell)
			if !mayWin(c) {
				said += " (" + c.Doubts().Verdict.String() + ")"
			}
			return said
		}
		said := fmt.Sprintf("the %s goes from %s at %s to %s at %s", Metric(unit),
			value(low), s.Place(low.X), value(high), s.Place(high.X))
		switch {
		case low.X < high.X && value(low) == value(high):
			said = fmt.Sprintf("the %s is %s at %s and at %s", Metric(unit), value(high),
				s.Place(low.X), s.Place(high.X))
		case low.X == high.X:
			said = fmt.Sprintf("%sthe %s is %s", lower(s.prefix(high.X)), Metric(unit), value(high))
		}
		parts = append(parts, said)
	}
	if i := slices.IndexFunc(cases, func(c Case) bool { return c.FallsBehind() }); i >= 0 {
		a.X = cases[i].X
		parts = append(parts, fmt.Sprintf("%s%s behind", lower(s.prefix(a.X)), fall))
	}
	if parts != nil && unit != "" {
		a.Headline = whose + ": " + strings.Join(parts, "; ")
	}
	return a
}

func (s Sweep) completedInTime() Answer {
	xs := s.places()
	late := slices.ContainsFunc(s.at(xs[len(xs)-1]), func(c Case) bool {
		return c.Value(goodput) < 0.999*c.Value(throughput)
	})
	if !late {
		return Answer{}
	}
	return s.completed(goodput, " in time")
}

func (s Sweep) completedInAll() Answer { return s.completed(throughput, "") }

func (s Sweep) completed(unit, in string) (a Answer) {
	xs := s.places()
	x := xs[len(xs)-1]
	c := s.contest(x, unit)
	if len(c.in) < 2 || !c.isSignificant(c.in[0], c.in[len(c.in)-1]) {
		return a
	}
	best, worst := c.in[0], c.in[len(c.in)-1]
	verb := "completes"
	if len(best.Names) > 1 {
		verb = "complete"
	}
	return Answer{Unit: unit, X: x, score: 1 + ratio(best.value, worst.value),
		Headline: upper(fmt.Sprintf("%s%s %s %s%s, %s %s%s", s.prefix(x), best.withLosses(), verb,
			perSecond(best.value), in, c.worst(), perSecond(worst.value), c.bestWithoutLoss(true)))}
}

func (s Sweep) fallBehind() (a Answer) {
	for _, x := range slices.Backward(s.places()) {
		c := s.contest(x, metric.P99Response)
		if len(c.growing) == 0 || len(c.in) == 0 {
			continue
		}
		keep, queue := "keeps", "the queue of %s grows"
		if len(c.in[0].Names) > 1 {
			keep = "keep"
		}
		behind := names(c.growing)
		if len(behind) > 1 {
			queue = "the queues of %s grow"
		}
		// A short queue that results from refusals is not an advantage.
		return Answer{Unit: c.unit, X: x, score: 10, Headline: upper(fmt.Sprintf(
			"%s%s %s the p99 response at %s; %s without limit%s", s.prefix(x),
			c.in[0].withLosses(), keep, c.in[0].ShowInWords(c.unit),
			fmt.Sprintf(queue, text.Abbreviate(behind)), c.bestWithoutLoss(false)))}
	}
	return a
}

func (s Sweep) slower() (a Answer) {
	for _, x := range slices.Backward(s.places()) {
		unit := s.unit(x)
		c := s.contest(x, unit)
		if len(c.in) < 2 || !c.isSignificant(c.in[0], c.in[len(c.in)-1]) {
			continue
		}
		best, worst := c.in[0], c.in[len(c.in)-1]
		by := ""
		if best.value > 0 {
			by = fmt.Sprintf(", %s times as long", text.Factor(worst.value/best.value))
		}
		return Answer{Unit: unit, X: x, score: ratio(best.value, worst.value),
			Headline: upper(fmt.Sprintf("%sthe %s is %s with %s and %s with %s%s%s",
				lower(s.prefix(x)), Metric(unit), best.ShowInWords(unit), best.withLosses(),
				worst.ShowInWords(unit), c.worst(), by, c.bestWithoutLoss(true)))}
	}
	return a
}

func (s Sweep) noSignificantDifference() (a Answer) {
	for _, x := range slices.Backward(s.places()) {
		unit := s.unit(x)
		c := s.contest(x, unit)
		if len(c.in) < 2 {
			continue
		}
		low, high := c.in[0], c.in[len(c.in)-1]
		return Answer{Unit: unit, X: x, Headline: fmt.Sprintf(
			"No significant difference%s: the %s is %s with %s%s", atPlace(s.Place(x)),
			Metric(unit), rangeText(low.ShowInWords(unit), high.ShowInWords(unit)),
			text.Count(len(names(c.in)), s.Of),
			c.lossSummary())}
	}
	return a
}

func (s Sweep) oneComparable() (a Answer) {
	for _, x := range slices.Backward(s.places()) {
		unit := s.unit(x)
		usable := slices.DeleteFunc(s.at(x), func(k Case) bool {
			return math.IsNaN(k.Value(unit)) || !mayWin(k)
		})
		if len(usable) == 0 {
			continue
		}
		k, who := usable[0], usable[0].Strategy
		if c := s.contest(x, unit); len(c.in) > 0 {
			k, who = c.in[0].Case, c.in[0].String()
			usable = slices.DeleteFunc(usable, func(o Case) bool {
				return slices.Contains(c.in[0].Names, o.Strategy)
			})
		} else {
			usable = usable[1:]
		}
		return Answer{Unit: unit, X: x, Headline: upper(fmt.Sprintf("%sthe %s is %s with %s%s%s%s",
			lower(s.prefix(x)), Metric(unit), k.ShowInWords(unit), who, lossesOf(k.Cell),
			s.unranked(usable, unit), s.whyNotCompared(k)))}
	}
	return a
}

const maxUnranked = 2

// unranked names the values of cases that are not ranked. A comparison with more slots is unfair,
// so it names the number of slots, too.
func (s Sweep) unranked(cases []Case, unit string) string {
	var values, slots []string
	limit := 0.0
	unbounded := s.unbounded()
	for _, c := range cases[:min(len(cases), maxUnranked)] {
		value := "growing"
		if !c.FallsBehind() {
			value = c.ShowInWords(unit)
		}
		values = append(values, fmt.Sprintf("%s with %s%s", value, c.Strategy, lossesOf(c.Cell)))
		if e, ok := c.Estimate(metric.PeakInFlight); ok && slices.Contains(unbounded, c.Strategy) {
			limit = c.Limit
			slots = append(slots, fmt.Sprintf("%s ran up to %s", c.Strategy, formatWhole(e.Hi)))
		}
	}
	if more := len(cases) - maxUnranked; more > 0 {
		values = append(values, fmt.Sprintf("%d more", more))
	}
	of := ""
	if len(slots) > 0 {
		of = fmt.Sprintf("; %s tasks at once (limit %s)", text.List(slots), formatWhole(limit))
	}
	switch len(values) {
	case 0:
		return ""
	case 1:
		of = strings.Replace(of, "; "+cases[0].Strategy+" ran", ", which ran", 1)
		return " and " + values[0] + of
	}
	return ", " + text.List(values) + of
}

func (s Sweep) whyNotCompared(k Case) (str string) {
	var nothing []string
	doubted := map[results.Verdict][]string{}
	for _, c := range s.at(k.X) {
		switch {
		case c.Strategy == k.Strategy:
		case c.Lost() > 0.999:
			nothing = append(nothing, c.Strategy)
		case !mayWin(c):
			v := c.Doubts().Verdict
			doubted[v] = append(doubted[v], c.Strategy)
		}
	}
	if n := len(nothing); n == 1 {
		str += "; " + nothing[0] + " completes nothing"
	} else if n > 1 {
		str += "; " + text.Abbreviate(nothing) + " complete nothing"
	}
	for _, v := range slices.Sorted(maps.Keys(doubted)) {
		str += fmt.Sprintf("; %s %s %s", text.Abbreviate(doubted[v]), isAre(len(doubted[v])), v)
	}
	return str
}

func ratio(a, b float64) float64 {
	if a > b {
		a, b = b, a
	}
	if a <= 0 || math.IsNaN(a) || math.IsNaN(b) {
		return 0
	}
	return min(math.Log(b/a), 9)
}
