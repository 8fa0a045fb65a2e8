package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// Captions are computed from the chart's numbers. A statement about all strategies is checked for
// each of them.

func responseCaption(s Sweep, chart *charts.Chart) string {
	var out []string
	if x, q, r := highest(s); len(r) > 1 {
		out = append(out, fmt.Sprintf("At %s the %s response%s %s.", s.Place(x), q,
			rankedPart(r, s.CellsAt(x)), between(r, s.CellsAt(x), q)))
	}
	out = append(out, growingQueues(s)...)
	out = append(out, hollow(s.Cells, metric.StatisticOf(drawnPercentile(s), metric.Response))...)
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(s.Cells, (*Cell).InGroup)...)
	return strings.Join(out, " ")
}

// highest ranks by the p99 or, if no place has two of them, by the median.
func highest(s Sweep) (x float64, quantile string, r []ranked) {
	for _, quantile = range []string{"p99", "p50"} {
		unit := metric.StatisticOf(quantile, metric.Response)
		value := func(c *Cell) float64 { return c.Value(unit) }
		for _, x = range slices.Backward(s.At) {
			if r = rank(keepingUp(s.CellsAt(x)), value); len(r) > 1 {
				return x, quantile, r
			}
		}
	}
	return 0, "", nil
}

func between(r []ranked, cells []*Cell, quantile string) string {
	unit := metric.StatisticOf(quantile, metric.Response)
	say := func(of ranked) string {
		for _, c := range cells {
			if c.Strategy == of.Name && c.Value(unit) == of.Value {
				return c.ShowInWords(unit)
			}
		}
		return text.Seconds(of.Value)
	}
	low, high := r[0], r[len(r)-1]
	if low.Value == high.Value {
		s := "is " + say(low)
		if rankedPart(r, cells) == "" {
			s += " for every strategy"
		}
		return s
	}
	at := func(of ranked) string {
		value := of.Value
		s := fmt.Sprintf("%s (%s", say(of), tiedNames(r, value))
		for _, c := range cells {
			i := slices.IndexFunc(r, func(x ranked) bool { return x.Value == value })
			if loss := c.LossWords(); loss != "" && c.Strategy == r[i].Name {
				s += ", " + loss
				break
			}
		}
		return s + ")"
	}
	s := fmt.Sprintf("runs from %s to %s", at(low), at(high))
	if low.Value > 0 {
		s += ", " + factor(high.Value/low.Value)
	}
	return s
}

func isHollow(c *Cell, unit string) bool {
	_, uncertain := c.Uncertain(unit)
	return c.Doubts() != nil || uncertain
}

func hollow(cells []*Cell, unit string) []string {
	all := only(cells, func(c *Cell) bool { return isHollow(c, unit) })
	if len(all) == 0 {
		return nil
	}
	why := "SUSPECT or INVALID"
	if slices.ContainsFunc(all, func(c *Cell) bool {
		_, uncertain := c.Uncertain(unit)
		return uncertain
	}) {
		why += ", or a 95 % error above ±25 %"
	}
	return []string{fmt.Sprintf("Hollow markers: %s; %d of %s.", why, len(all),
		text.Count(len(cells), "scenario"))}
}

func coincidence(chart *charts.Chart) (out []string) {
	for _, names := range chart.Same {
		out = append(out, fmt.Sprintf("%s have identical results.",
			text.List(text.Truncate(names, maxNames))))
	}
	return out
}

// allDone is the completed share that counts as all, since tasks still running when the arrivals
// end are not lost.
const allDone = 0.99

func throughputCaption(s Sweep, _ *charts.Chart) string {
	last := s.At[len(s.At)-1]
	share := func(c *Cell) float64 {
		return c.Value(metric.Throughput) / c.Value(metric.Offered)
	}
	r := rank(s.CellsAt(last), share)
	if len(r) == 0 {
		return ""
	}
	whole := func(v float64) string { return fmt.Sprintf("%.0f %%", math.Floor(100*v)) }
	short := slices.DeleteFunc(slices.Clone(r), func(x ranked) bool {
		return x.Value >= allDone
	})
	var before []string
	for _, x := range s.At[:len(s.At)-1] {
		for _, b := range rank(s.CellsAt(x), share) {
			if b.Value < allDone {
				before = append(before, fmt.Sprintf("%s at %s (%s)", b.Name, s.Place(x),
					whole(b.Value)))
			}
		}
	}
	unknown := slices.ContainsFunc(s.Cells, func(c *Cell) bool {
		return math.IsNaN(share(c))
	})
	some := rankedPart(r, s.Cells)
	var out string
	switch {
	case len(short)+len(before) == 0 && some == "" && !unknown:
		return fmt.Sprintf("Every strategy completes the offered load up to %s. They differ "+
			"only in response time.", s.Place(last))
	case len(short) == 0:
		out = fmt.Sprintf("At %s the offered load is completed%s.", s.Place(last),
			cmp.Or(strings.Replace(some, " of ", " by ", 1), " by every strategy"))
	case some != "":
		out = fmt.Sprintf("At %s %s of the offered load.", s.Place(last),
			listValues(short, "complete", whole))
	case len(short) == len(r):
		out = fmt.Sprintf("At %s no strategy completes the offered load: %s.",
			s.Place(last), listValues(short, "complete", whole))
	default:
		out = fmt.Sprintf("At %s %s of the offered load. The others complete all of it.",
			s.Place(last), listValues(short, "complete", whole))
	}
	if len(before) > 0 {
		out += fmt.Sprintf(" At lower values, %s do not complete all of it.",
			text.List(text.Truncate(before, maxNames)))
	}
	return out
}

func (in *reportInput) distributionCaption(s Sweep, chart *charts.Chart) string {
	x := s.At[len(s.At)-1]
	r := rank(keepingUp(s.CellsAt(x)), func(c *Cell) float64 {
		h := in.responses[c]
		if h == nil || h.TotalCount() < 368 || h.ValueAtQuantile(50) == 0 ||
			!c.Known(metric.P50Response) || !c.Known(metric.P99Response) {
			return math.NaN()
		}
		return float64(h.ValueAtQuantile(99)) / float64(h.ValueAtQuantile(50))
	})
	var out []string
	where := ""
	if place := s.Place(x); place != "" {
		where = "At " + place + " "
	}
	if len(r) > 0 {
		low, high := r[0], r[len(r)-1]
		str := fmt.Sprintf("%sthe p99%s is %s times the median", where,
			rankedPart(r, s.CellsAt(x)), text.Factor(low.Value))
		if low.Value != high.Value {
			str += fmt.Sprintf(" with %s, and %s times with %s", tiedNames(r, low.Value),
				text.Factor(high.Value), tiedNames(r, high.Value))
		}
		out = append(out, upper(str)+".")
	}
	fewest := int64(math.MaxInt64)
	for _, x := range s.SpreadOut(panelsOfDistributions) {
		for _, c := range keepingUp(s.CellsAt(x)) {
			if h := in.responses[c]; h != nil && h.TotalCount() > 0 {
				fewest = min(fewest, h.TotalCount())
			}
		}
	}
	out = append(out, omittedGrowing(s, s.SpreadOut(panelsOfDistributions))...)
	out = append(out, coincidence(chart)...)
	if fewest < math.MaxInt64 {
		out = append(out, fmt.Sprintf("Repetitions are pooled. A curve ends at the percentile "+
			"above which there are fewer than four tasks (at least %s tasks per curve).",
			charts.Count(float64(fewest))))
	}
	return strings.Join(out, " ")
}

func varianceCaption(set varianceSet, chart *charts.Chart) string {
	low, high := set.c2[set.cells[0]], set.c2[set.cells[len(set.cells)-1]]
	var r []ranked
	for _, of := range byStrategy(set.cells) {
		first, last := of[0], of[len(of)-1]
		if first.FallsBehind() || last.FallsBehind() || set.c2[first] != low ||
			set.c2[last] != high {
			continue // not measured at both ends
		}
		if g := last.Value(metric.P99Response) /
			first.Value(metric.P99Response); !math.IsNaN(g) && !math.IsInf(g, 0) {
			r = append(r, ranked{Name: first.Strategy, Value: g})
		}
	}
	sortRanked(r)
	var out []string
	if len(r) > 0 {
		least, most := r[0], r[len(r)-1]
		s := fmt.Sprintf("From C² = %s to %s, at the same load, the p99 response%s becomes %s "+
			"times as high",
			charts.Count(low), charts.Count(high), rankedPart(r, set.cells),
			text.Factor(least.Value))
		if least.Value != most.Value {
			s += fmt.Sprintf(" with %s, and %s times with %s", tiedNames(r, least.Value),
				text.Factor(most.Value), tiedNames(r, most.Value))
		}
		out = append(out, s+".")
	}
	named := func(c *Cell) string {
		return fmt.Sprintf("%s at C² = %s", c.Strategy, charts.Count(set.c2[c]))
	}
	behind := text.Distinct(text.Texts(only(set.cells, (*Cell).FallsBehind), named))
	if len(behind) > 0 {
		out = append(out, doNotKeepUp(text.Truncate(behind, maxNames))+" (arrows).")
	}
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(set.cells, named)...)
	return strings.Join(out, " ")
}

func (in *reportInput) limitCaption(s Sweep, _ *charts.Chart) string {
	ends := text.Texts(in.learntLimits(s).Series, func(s charts.Series) string {
		return charts.Count(s.Y[len(s.Y)-1]) + " with " + s.Name
	})
	return "First repetition. Each point is the end of an interval. The limit ends at " +
		text.List(text.Truncate(ends, maxNames)) + "."
}

func (in *reportInput) timelineCaption(s Sweep, _ *charts.Chart) string {
	flight, queued := in.timelinesOf(s)
	last := s.At[len(s.At)-1]
	cells := s.CellsAt(last)
	highestOf := func(p charts.Panel) (r []ranked) {
		for _, s := range p.Series {
			r = append(r, ranked{Name: s.Name, Value: slices.Max(s.Y)})
		}
		return sortRanked(r)
	}
	out := []string{"First repetition. Each point is the end of an interval."}
	if slices.ContainsFunc(flight.Series, func(s charts.Series) bool { return s.Gaps != nil }) {
		out = append(out, "Shaded: the run was interrupted, so the records of its tasks are "+
			"incomplete.")
	}
	r := highestOf(queued)
	of, low, high := rankedPart(r, cells), r[0].Value, r[len(r)-1].Value
	str := "The queue" + of + " contains " + Tasks(low)
	switch {
	case low != high:
		str += fmt.Sprintf(" with %s, and %s with %s", tiedNames(r, low), Tasks(high),
			tiedNames(r, high))
	case of == "":
		str += " for every strategy"
	}
	out = append(out, str+".",
		"Tasks in flight have started and not ended. They may be between two attempts, "+
			"while the limit applies to simultaneous attempts.")
	var beyond []string
	for _, f := range highestOf(flight) {
		at := slices.IndexFunc(cells, func(c *Cell) bool { return c.Strategy == f.Name })
		peak, ok := cells[at].Cell[0].Value(metric.PeakInFlight)
		if ok && f.Value > cells[at].Limit {
			beyond = append(beyond, fmt.Sprintf("of the %s in flight with %s at most %s",
				charts.Count(f.Value), f.Name, charts.Count(peak)))
		}
	}
	if n := len(beyond) - 2; n > 0 { // two examples are enough
		beyond = append(beyond[:2], fmt.Sprintf("fewer with %d more strategies, too", n))
	}
	if len(beyond) > 0 {
		out = append(out, upper(text.List(beyond))+" were in flight at once.")
	}
	if growing := strategiesOf(only(cells, (*Cell).FallsBehind)); len(growing) > 0 {
		out = append(out, doNotKeepUp(text.Truncate(growing, maxNames))+".")
	}
	return strings.Join(out, " ")
}
