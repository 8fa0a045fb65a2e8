package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
	"github.com/poolbench/poolbench/reports/charts"
)

// The sentences under the charts are computed: they say what this picture shows, with its numbers,
// and nothing that it does not show. What is said of every strategy is looked up for every one;
// else those are named that it is said of, or those that it is not.

func responseCaption(s reportSweep, chart *charts.Chart) string {
	var out []string
	if x, q, r := highest(s); len(r) > 1 {
		out = append(out, fmt.Sprintf("At %s the %s response%s %s.", s.place(x), q,
			ofSome(r, s.cellsAt(x)), between(r, s.cellsAt(x))))
	}
	out = append(out, fallingBehind(s)...)
	out = append(out, hollow(s.cells)...)
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(s.cells, (*reportCell).inGroup)...)
	return strings.Join(out, " ")
}

// highest ranks the strategies at the highest place where at least two resolve the p99, or else the
// median.
func highest(s reportSweep) (x float64, quantile string, r []ranked) {
	for _, quantile = range []string{"p99", "p50"} {
		for _, x = range slices.Backward(s.at) {
			if r = rank(keepingUp(s.cellsAt(x)), metric(quantile+"-response-sec")); len(r) > 1 {
				return x, quantile, r
			}
		}
	}
	return 0, "", nil
}

// between words the smallest and the largest of some times: "runs from 8.1 ms (unbounded) to 2.3 s
// (serial), a factor of 284".
func between(r []ranked, cells []*reportCell) string {
	low, high := r[0], r[len(r)-1]
	if low.value == high.value {
		text := "is " + quantity.Seconds(low.value)
		if ofSome(r, cells) == "" {
			text += " for every strategy"
		}
		return text
	}
	at := func(value float64) string {
		text := fmt.Sprintf("%s (%s", quantity.Seconds(value), tied(r, value))
		for _, c := range cells {
			i := slices.IndexFunc(r, func(x ranked) bool { return x.value == value })
			if loss := c.LossWords(); loss != "" && c.strategy == r[i].name {
				text += ", " + loss
				break
			}
		}
		return text + ")"
	}
	text := fmt.Sprintf("runs from %s to %s", at(low.value), at(high.value))
	if low.value > 0 {
		text += ", " + factor(high.value/low.value)
	}
	return text
}

// mostNames is how many names a sentence lists, and one more where that is all.
const mostNames = 4

// hollow says how many points are so for being doubted.
func hollow(cells []*reportCell) []string {
	doubts := only(cells, func(c *reportCell) bool { return c.Doubts() != nil })
	if len(doubts) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Hollow markers: SUSPECT or INVALID, %d of %s.", len(doubts),
		prose.Count(len(cells), "scenario"))}
}

// coincidence names the series that lie on one another.
func coincidence(chart *charts.Chart) (out []string) {
	for _, names := range chart.Same {
		verb := "coincide exactly, point by point"
		if len(names) == 2 {
			verb = "coincide exactly"
		}
		out = append(out, fmt.Sprintf("%s %s.", prose.List(prose.Few(names, mostNames)), verb))
	}
	return out
}

// allDone is the share of what is offered that counts as all of it: what still runs when the
// arrivals end is not lost.
const allDone = 0.99

func throughputCaption(s reportSweep, _ *charts.Chart) string {
	last := s.at[len(s.at)-1]
	share := func(c *reportCell) float64 { return c.Value("ops/s") / c.Value("offered-ops/s") }
	r := rank(s.cellsAt(last), share)
	if len(r) == 0 {
		return ""
	}
	whole := func(v float64) string { return fmt.Sprintf("%.0f %%", math.Floor(100*v)) }
	var short []ranked
	var before []string
	for _, x := range r {
		if x.value < allDone {
			short = append(short, x)
		}
	}
	for _, x := range s.at[:len(s.at)-1] {
		for _, b := range rank(s.cellsAt(x), share) {
			if b.value < allDone {
				before = append(before, fmt.Sprintf("%s at %s (%s)", b.name, s.place(x),
					whole(b.value)))
			}
		}
	}
	unknown := slices.ContainsFunc(s.cells, func(c *reportCell) bool {
		return math.IsNaN(share(c))
	})
	some := ofSome(r, s.cells)
	var out string
	switch {
	case len(short)+len(before) == 0 && some == "" && !unknown:
		return fmt.Sprintf("Every strategy completes the offered load, up to %s: the difference "+
			"between them is in the response times.", s.place(last))
	case len(short) == 0:
		out = fmt.Sprintf("At %s the offered load is completed%s.", s.place(last),
			cmp.Or(strings.Replace(some, " of ", " by ", 1), " by every strategy"))
	case some != "":
		out = fmt.Sprintf("At %s, of the offered load, %s.", s.place(last),
			comesTo(short, "complete", whole))
	case len(short) == len(r):
		out = fmt.Sprintf("At %s no strategy completes the offered load: %s.",
			s.place(last), comesTo(short, "complete", whole))
	default:
		out = fmt.Sprintf("At %s, of the offered load, %s; the others complete it all.",
			s.place(last), comesTo(short, "complete", whole))
	}
	if len(before) > 0 {
		out += fmt.Sprintf(" Below that, not all of it is completed by %s.",
			prose.List(prose.Few(before, mostNames)))
	}
	return out
}

func (in *reportInput) distributionCaption(s reportSweep, chart *charts.Chart) string {
	x := s.at[len(s.at)-1]
	r := rank(keepingUp(s.cellsAt(x)), func(c *reportCell) float64 {
		h := in.responses[c]
		if h == nil || h.TotalCount() < 368 || h.ValueAtQuantile(50) == 0 {
			return math.NaN()
		}
		return float64(h.ValueAtQuantile(99)) / float64(h.ValueAtQuantile(50))
	})
	var out []string
	where := ""
	if place := s.place(x); place != "" {
		where = "At " + place + " "
	}
	if len(r) > 0 {
		low, high := r[0], r[len(r)-1]
		if low.value == high.value {
			out = append(out, upper(fmt.Sprintf("%sthe p99%s is %s times the median.", where,
				ofSome(r, s.cellsAt(x)), digits(low.value))))
		} else {
			out = append(out, upper(fmt.Sprintf("%sthe p99%s is %s times the median with %s, and "+
				"%s times with %s.",
				where, ofSome(r, s.cellsAt(x)), digits(low.value), tied(r, low.value),
				digits(high.value), tied(r, high.value))))
		}
	}
	fewest := int64(math.MaxInt64)
	for _, x := range s.spreadOut(panelsOfDistributions) {
		for _, c := range keepingUp(s.cellsAt(x)) {
			if h := in.responses[c]; h != nil && h.TotalCount() > 0 {
				fewest = min(fewest, h.TotalCount())
			}
		}
	}
	out = append(out, leftOut(s, s.spreadOut(panelsOfDistributions))...)
	out = append(out, coincidence(chart)...)
	if fewest < math.MaxInt64 {
		out = append(out, fmt.Sprintf("Repetitions are pooled; the curves end where fewer than "+
			"four tasks are left beyond (at least %s tasks a curve).",
			charts.Count(float64(fewest))))
	}
	return strings.Join(out, " ")
}

func varianceCaption(set varianceSet, chart *charts.Chart) string {
	low, high := set.c2[set.cells[0]], set.c2[set.cells[len(set.cells)-1]]
	var r []ranked
	for _, of := range byStrategy(set.cells) {
		first, last := of[0], of[len(of)-1]
		if first.fallsBehind() || last.fallsBehind() || set.c2[first] != low ||
			set.c2[last] != high {
			continue // not measured at both ends
		}
		if g := last.Value("p99-response-sec") /
			first.Value("p99-response-sec"); !math.IsNaN(g) && !math.IsInf(g, 0) {
			r = append(r, ranked{first.strategy, g})
		}
	}
	sortRanked(r)
	var out []string
	if len(r) > 0 {
		least, most := r[0], r[len(r)-1]
		text := fmt.Sprintf("From C² = %s to %s, at the same load, the p99 response%s becomes %s "+
			"times what it was",
			charts.Count(low), charts.Count(high), ofSome(r, set.cells), digits(least.value))
		if least.value != most.value {
			text += fmt.Sprintf(" with %s, and %s times with %s", tied(r, least.value),
				digits(most.value), tied(r, most.value))
		}
		out = append(out, text+".")
	}
	named := func(c *reportCell) string {
		return fmt.Sprintf("%s at C² = %s", c.strategy, charts.Count(set.c2[c]))
	}
	var behind []string
	for _, c := range only(set.cells, (*reportCell).fallsBehind) {
		if !slices.Contains(behind, named(c)) {
			behind = append(behind, named(c))
		}
	}
	if len(behind) > 0 {
		out = append(out, doNotKeepUp(prose.Few(behind, mostNames))+" (arrows).")
	}
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(set.cells, named)...)
	return strings.Join(out, " ")
}

func (in *reportInput) timelineCaption(s reportSweep, _ *charts.Chart) string {
	flight, queued := in.timelinesOf(s)
	last := s.at[len(s.at)-1]
	cells := s.cellsAt(last)
	highestOf := func(p charts.Panel) (r []ranked) {
		for _, s := range p.Series {
			r = append(r, ranked{s.Name, slices.Max(s.Y)})
		}
		return sortRanked(r)
	}
	out := []string{"First repetition; each point is the end of an interval."}
	if slices.ContainsFunc(flight.Series, func(s charts.Series) bool { return s.Gaps != nil }) {
		out = append(out, "Shaded is where a run was cut off: not all that was due is recorded.")
	}
	r := highestOf(queued)
	if low, high := r[0], r[len(r)-1]; low.value == high.value {
		text := "The queue" + ofSome(r, cells) + " holds " + tasks(low.value)
		if ofSome(r, cells) == "" {
			text += " for every strategy"
		}
		out = append(out, text+".")
	} else {
		out = append(out, fmt.Sprintf("The queue%s holds %s with %s, and %s with %s.",
			ofSome(r, cells), tasks(low.value), tied(r, low.value), tasks(high.value),
			tied(r, high.value)))
	}
	out = append(out, "In flight counts tasks that have begun and whose end is not reported: "+
		"those between two attempts, too. The limit is on attempts under way at once.")
	var beyond []string
	for _, f := range highestOf(flight) {
		at := slices.IndexFunc(cells, func(c *reportCell) bool { return c.strategy == f.name })
		if peak, ok := cells[at].Cell[0].Value("peak-inflight"); ok && f.value > cells[at].limit {
			beyond = append(beyond, fmt.Sprintf("of the %s in flight with %s at most %s",
				charts.Count(f.value), f.name, charts.Count(peak)))
		}
	}
	if n := len(beyond) - 2; n > 0 { // two make the point
		beyond = append(beyond[:2], fmt.Sprintf("likewise fewer with %d more", n))
	}
	if len(beyond) > 0 {
		out = append(out, upper(prose.List(beyond))+" were under way at once.")
	}
	var growing []string
	for _, c := range only(cells, (*reportCell).fallsBehind) {
		growing = append(growing, c.strategy)
	}
	if len(growing) > 0 {
		out = append(out, doNotKeepUp(prose.Few(growing, mostNames))+".")
	}
	return strings.Join(out, " ")
}
