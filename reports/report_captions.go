package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/reports/charts"
)

// The sentences under the charts are computed: they say what this picture shows, with its numbers, and nothing that it
// does not show.

func responseCaption(s reportSweep, chart *charts.Chart) string {
	var out []string
	if x, q, r := highest(s); len(r) > 1 {
		out = append(out, fmt.Sprintf("At %s the %s response %s.", s.place(x), q, between(r)))
	}
	out = append(out, fallingBehind(s)...)
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(s.cells)...)
	return strings.Join(out, " ")
}

// highest ranks the strategies at the highest place where at least two resolve the p99, or else the median.
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

// between words the smallest and the largest of some times: "runs from 8.1 ms (unbounded) to 2.3 s (serial), a factor
// of 284".
func between(r []ranked) string {
	low, high := r[0], r[len(r)-1]
	if low.value == high.value {
		return fmt.Sprintf("is %s for every strategy", charts.Seconds(low.value))
	}
	text := fmt.Sprintf("runs from %s (%s) to %s (%s)", charts.Seconds(low.value), tied(r, low.value), charts.Seconds(high.value), tied(r, high.value))
	if low.value > 0 {
		text += ", " + factor(high.value/low.value)
	}
	return text
}

// coincidence names the series that lie on one another.
func coincidence(chart *charts.Chart) (out []string) {
	for _, names := range chart.Same {
		verb := "coincide exactly, point by point"
		if len(names) == 2 {
			verb = "coincide exactly"
		}
		out = append(out, fmt.Sprintf("%s %s.", list(names), verb))
	}
	return out
}

// againstTheory says how far the p99 is from its exact value.
func againstTheory(cells []*reportCell) []string {
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for _, c := range cells {
		if d := c.value("p99-response-sec")/c.value("theory-p99-response-sec") - 1; !math.IsNaN(d) && !math.IsInf(d, 0) {
			low, high, n = min(low, d), max(high, d), n+1
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("The p99 is %s from its exact theoretical value.", percentDiff(low))}
	}
	if percentDiff(low) == percentDiff(high) {
		return []string{fmt.Sprintf("Where theory is exact (%d scenarios), the p99 is %s from it.", n, percentDiff(low))}
	}
	return []string{fmt.Sprintf("Where theory is exact, the p99 lies between %s and %s of it (%d scenarios).", percentDiff(low), percentDiff(high), n)}
}

func throughputCaption(s reportSweep) string {
	last := s.at[len(s.at)-1]
	share := func(c *reportCell) float64 { return c.value("ops/s") / c.value("offered-ops/s") }
	r := rank(s.cellsAt(last), share)
	if len(r) == 0 {
		return ""
	}
	const all = 0.99 // what is still running when the arrivals end is not lost
	var short []string
	for _, x := range r {
		if x.value < all {
			short = append(short, fmt.Sprintf("%s completes %.0f %%", x.name, 100*x.value))
		}
	}
	switch {
	case len(short) == 0:
		return fmt.Sprintf("Every strategy completes what is offered, up to %s: the difference between them is in the response times.", s.place(last))
	case len(short) == len(r):
		return fmt.Sprintf("At %s no strategy completes what is offered: %s.", s.place(last), list(short))
	}
	return fmt.Sprintf("At %s, of what is offered, %s; the others complete it all.", s.place(last), list(short))
}

func (in *reportInput) distributionCaption(s reportSweep, chart *charts.Chart) string {
	x := s.at[len(s.at)-1]
	fewest := int64(math.MaxInt64)
	r := rank(keepingUp(s.cellsAt(x)), func(c *reportCell) float64 {
		h := in.responses[c]
		if h == nil || h.TotalCount() == 0 {
			return math.NaN()
		}
		fewest = min(fewest, h.TotalCount())
		if h.TotalCount() < 368 || h.ValueAtQuantile(50) == 0 {
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
			out = append(out, upper(fmt.Sprintf("%sthe p99 is %s times the median.", where, digits(low.value))))
		} else {
			out = append(out, upper(fmt.Sprintf("%sthe p99 is %s times the median with %s, and %s times with %s.",
				where, digits(low.value), tied(r, low.value), digits(high.value), tied(r, high.value))))
		}
	}
	out = append(out, leftOut(s.cells)...)
	out = append(out, coincidence(chart)...)
	if fewest < math.MaxInt64 {
		out = append(out, fmt.Sprintf("Repetitions are pooled; the curves end where fewer than four tasks are left beyond (at least %s tasks a curve).", charts.Count(float64(fewest))))
	}
	return strings.Join(out, " ")
}

func varianceCaption(set varianceSet, chart *charts.Chart) string {
	growth := make(map[string]float64)
	type ends struct{ first, last *reportCell }
	of := make(map[string]*ends)
	var names []string
	for _, c := range set.cells {
		e := of[c.strategy]
		if e == nil {
			e = &ends{first: c}
			of[c.strategy] = e
			names = append(names, c.strategy)
		}
		e.last = c
	}
	low, high := set.c2[set.cells[0]], set.c2[set.cells[len(set.cells)-1]]
	var r []ranked
	for _, name := range names {
		e := of[name]
		if e.first.fallsBehind() || e.last.fallsBehind() || set.c2[e.first] != low || set.c2[e.last] != high {
			continue // not measured at both ends
		}
		growth[name] = e.last.value("p99-response-sec") / e.first.value("p99-response-sec")
		if g := growth[name]; !math.IsNaN(g) && !math.IsInf(g, 0) {
			r = append(r, ranked{name, g})
		}
	}
	slices.SortStableFunc(r, func(a, b ranked) int { return cmp.Compare(a.value, b.value) })
	var out []string
	if len(r) > 0 {
		least, most := r[0], r[len(r)-1]
		text := fmt.Sprintf("From C² = %s to %s, at the same load, the p99 response grows by a factor of %s", charts.Count(low), charts.Count(high), digits(least.value))
		if least.value != most.value {
			text += fmt.Sprintf(" with %s, and of %s with %s", tied(r, least.value), digits(most.value), tied(r, most.value))
		}
		out = append(out, text+".")
	}
	if behind := slices.DeleteFunc(slices.Clone(set.cells), func(c *reportCell) bool { return !c.fallsBehind() }); len(behind) > 0 {
		var behindNames []string
		for _, c := range behind {
			if !slices.Contains(behindNames, c.strategy) {
				behindNames = append(behindNames, c.strategy)
			}
		}
		out = append(out, doNotKeepUp(behindNames)+" (arrows).")
	}
	out = append(out, coincidence(chart)...)
	out = append(out, againstTheory(set.cells)...)
	return strings.Join(out, " ")
}

func timelineCaption(s reportSweep, queued charts.Panel) string {
	var r []ranked
	for _, s := range queued.Series {
		r = append(r, ranked{s.Name, slices.Max(s.Y)})
	}
	slices.SortStableFunc(r, func(a, b ranked) int { return cmp.Compare(a.value, b.value) })
	low, high := r[0], r[len(r)-1]
	out := []string{"First repetition; each point is the end of an interval."}
	if low.value == high.value {
		out = append(out, fmt.Sprintf("The queue holds %s for every strategy.", tasks(low.value)))
	} else {
		out = append(out, fmt.Sprintf("The queue holds %s with %s, and %s with %s.", tasks(low.value), tied(r, low.value), tasks(high.value), tied(r, high.value)))
	}
	return strings.Join(append(out, leftOut(s.cellsAt(s.at[len(s.at)-1]))...), " ")
}
