package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
)

type comparison struct {
	strategy string
	reading
}

var comparisons = []comparison{{sequential, shortTail}, {sequential, slowdown},
	{separate, shortTail}, {separate, slowdown}}

// at returns the strategy's metric relative to the shared pool's at r, paired by repetition.
func (c comparison) at(m *evidence.Measured, r float64) evidence.Interval {
	return m.Ratio(costCell(c.strategy, r), costCell(pooled, r), c.unit)
}

func (c comparison) clause(ratio evidence.Interval) string {
	return fmt.Sprintf("%s has %s times the shared pool's %s", c.strategy, ratio, c.noun)
}

func (c comparison) listItem(ratio evidence.Interval) string {
	return fmt.Sprintf("%s %s in %s", c.strategy, ratio, c.noun)
}

// judgeCost compares partitioned and segregated with the shared pool by the p99 response of the
// short tasks and by the mean slowdown of all tasks. Each of these four comparisons at each R above
// 1 is decided if the 95 % interval of the ratio does not contain 1.
//
// The claim holds if all four are lower at taxAt and at each other R measured, and does not if all
// four are higher at taxAt. It depends on R if all four are lower at taxAt and one is higher
// elsewhere, and on strategy and metric if some are lower and some higher at taxAt. Otherwise it is
// undecided. Only the lowest R and taxAt must be measured.
func judgeCost(m *evidence.Measured) decide.Finding {
	var lower, not, open, higher, level []string
	for _, c := range comparisons {
		for _, r := range []float64{costRs[1], taxAt} {
			if math.IsNaN(c.at(m, r).Mid) {
				return evidence.Missing("%s or %s was not measured at R = %v", c.strategy, pooled,
					r)
			}
		}
		switch at := c.at(m, taxAt); {
		case at.Below():
			lower = append(lower, c.listItem(at))
		case at.Above():
			not = append(not, c.listItem(at))
		default:
			open = append(open, c.listItem(at))
		}
		for _, r := range costRs[1:] {
			switch at := c.at(m, r); {
			case at.Above():
				higher = append(higher, fmt.Sprintf("at R = %v %s", r, c.clause(at)))
			case !at.Below() && !math.IsNaN(at.Mid):
				level = append(level, fmt.Sprintf("%s at R = %v", c.listItem(at), r))
			}
		}
	}
	const of = "R (the length of a long task in short ones)"
	tax, _, _ := taxOf(m, shortTail)
	said := fmt.Sprintf("at R = %d the shared pool has %s times %s's %s", taxAt, tax,
		sequential, shortTail.noun)
	switch {
	case len(not) > 0 && len(lower) > 0:
		return evidence.Found(decide.Depends, "on the strategy and the metric: at R = %d, as "+
			"multiples of the shared pool, %s, but %s; %s", taxAt, evidence.Series(lower),
			evidence.Series(not), said)
	case len(open) > 0:
		return evidence.Missing("the repetitions vary too much to decide, at R = %d and as "+
			"multiples of the shared pool: %s", taxAt, evidence.Series(open))
	case len(lower) == 0:
		return evidence.Found(decide.DoesNotHold, "at R = %d, as multiples of the shared "+
			"pool, %s", taxAt, evidence.Series(not))
	case len(higher) == 0 && len(level) > 0:
		return evidence.Missing("both strategies are below the shared pool at R = %d, but "+
			"elsewhere the repetitions vary too much to decide, as multiples of it: %s",
			taxAt, evidence.Series(evidence.Few(level, 2)))
	case len(higher) == 0:
		return evidence.Found(decide.Holds, "both strategies are below the shared pool at "+
			"every %s; %s", of, said)
	}
	if _, from := lastCrossover(m); !math.IsNaN(from.Mid) {
		f := evidence.Found(decide.Depends, "on %s: both strategies pay above R = %s, but "+
			"%s; %s", of, from, higher[0], said)
		f.Advice = fmt.Sprintf("split long tasks, or give them a pool of their own, once they are "+
			"%s times as long as the short ones", text.Short(from.Mid))
		return f
	}
	return evidence.Found(decide.Depends, "on %s: both strategies pay at R = %d, but %s; %s",
		of, taxAt, evidence.Series(evidence.Few(higher, 2)), said)
}

// lastCrossover returns the comparison that becomes better at the highest R, or NaN if one becomes
// worse again.
func lastCrossover(m *evidence.Measured) (last comparison, at evidence.Interval) {
	at = evidence.OfProduct(nil)
	end := costRs[len(costRs)-1]
	for _, c := range comparisons {
		if in := c.at(m, end); in.Above() {
			return last, evidence.OfProduct(nil)
		}
		if in := crossover(m, c.strategy, c.reading); in.Mid > at.Mid || math.IsNaN(at.Mid) {
			last, at = c, in
		}
	}
	return last, at
}

func answerCost(m *evidence.Measured, f *decide.Finding) {
	for _, of := range []reading{shortTail, slowdown} {
		if tax, _, _ := taxOf(m, of); !math.IsNaN(tax.Mid) {
			f.Add("%s: at R = %d (C² = %s) the shared pool has %s times that of %s",
				of.noun, taxAt, text.Short(halvesC2(taxAt)), tax, sequential)
		}
		if at := crossover(m, separate, of); !math.IsNaN(at.Mid) {
			f.Add("%s: a pool for each class costs more than it saves below R = %s", of.noun, at)
		}
		f.Say(bestOf(m, of))
	}
	if long := m.Ratio(costCell(sequential, taxAt), costCell(pooled, taxAt),
		metric.LongMeanResponse); !math.IsNaN(long.Mid) {
		f.Add("at R = %d the long tasks' mean response with %s is %s times that in the shared pool",
			taxAt, sequential, long)
	}
	for _, name := range costOthers(m) {
		f.Say(otherLine(m, name))
	}
}

// otherLine reports a strategy added by the user, which may lose tasks or exceed the limit.
func otherLine(m *evidence.Measured, name string) string {
	cell := costCell(name, taxAt)
	line := fmt.Sprintf("at R = %d %s, and %s times its %s", taxAt,
		comparison{name, shortTail}.clause(comparison{name, shortTail}.at(m, taxAt)),
		comparison{name, slowdown}.at(m, taxAt), slowdown.noun)
	lost := 0.0
	for _, unit := range []string{metric.Shed, metric.Throttled, metric.Failed, metric.Abandoned} {
		if v := m.Mean(cell, unit).Mid; v > 0 {
			lost += v
		}
	}
	if lost > 0 {
		line += fmt.Sprintf("; it does not complete %s of the tasks", text.ShortShare(lost))
	}
	if peak := m.Median(cell, metric.PeakInFlight).Hi; peak > limit {
		line += fmt.Sprintf("; it has up to %s tasks in flight, the others %d", text.Short(peak),
			limit)
	}
	return line
}

func bestOf(m *evidence.Measured, of reading) string {
	var spans, best []string
	var rs []float64
	for _, r := range costRs {
		if lead := leaders(m, of, r); lead != "" {
			best, rs = append(best, lead), append(rs, r)
		}
	}
	for from, next := 0, 0; from < len(rs); from = next {
		for next = from + 1; next < len(rs) && best[next] == best[from]; {
			next++
		}
		span := fmt.Sprintf("%s at R = %v", best[from], rs[from])
		if to := next - 1; to > from {
			span = fmt.Sprintf("%s from R = %v to %v", best[from], rs[from], rs[to])
		}
		spans = append(spans, span)
	}
	if len(spans) == 0 {
		return ""
	}
	return of.noun + ": lowest with " + strings.Join(spans, "; ")
}

func leaders(m *evidence.Measured, of reading, r float64) string {
	lowest, first := math.Inf(1), ""
	for _, s := range costStrategies {
		if v := m.Mean(costCell(s, r), of.unit).Mid; v < lowest {
			lowest, first = v, s
		}
	}
	if first == "" {
		return ""
	}
	var level []string
	for _, s := range costStrategies {
		if m.Ratio(costCell(s, r), costCell(first, r), of.unit).Lo <= 1 {
			level = append(level, s)
		}
	}
	if len(level) == 0 { // a single repetition
		level = []string{first}
	}
	return strings.Join(level, " or ")
}
