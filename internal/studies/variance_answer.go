package studies

import (
	"fmt"
	"math"
	"slices"

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

func (c comparison) at(m *evidence.Measured, r float64) evidence.Interval {
	return m.Ratio(costCell(c.strategy, r), costCell(pooled, r), c.unit)
}

// judgeCost compares partitioned and segregated with the shared pool by the p99 response of the
// short tasks and by the mean slowdown of all tasks. Each of these four comparisons is decided if
// the 95 % interval of the ratio does not contain 1.
//
// The claim holds if all four are lower at taxAt and at each other R measured, and does not if all
// four are higher at taxAt. It depends on R if all four are lower at taxAt and one is higher
// elsewhere, and on strategy and metric if some are lower and some higher at taxAt.
func judgeCost(m *evidence.Measured) decide.Finding {
	table := decide.Table{Heads: []string{"R"}}
	for _, c := range comparisons {
		table.Heads = append(table.Heads, c.name())
	}
	var lower, not, open, higher, level []string
	for _, r := range costRs[1:] {
		row := []string{text.Short(r)}
		for _, c := range comparisons {
			at := c.at(m, r)
			row = append(row, evidence.Text(at, evidence.Interval.String))
			said := fmt.Sprintf("%s at R = %v (%s)", c.name(), r, evidence.Short(at, text.Short))
			switch tax := r == taxAt; {
			case math.IsNaN(at.Mid):
				if tax || r == costRs[1] {
					return evidence.Missing("%s or %s was not measured at R = %v", c.strategy, pooled, r)
				}
			case at.Above():
				higher = append(higher, said)
				if tax {
					not = append(not, said)
				}
			case at.Below():
				if tax {
					lower = append(lower, said)
				}
			case tax:
				open = append(open, said)
			default:
				level = append(level, said)
			}
		}
		if slices.ContainsFunc(row[1:], func(cell string) bool { return cell != evidence.Dash }) {
			table.Add(row...)
		}
	}
	few := func(names []string) string { return evidence.Series(evidence.Few(names, 2)) }
	const vary = "the repetitions vary too much to decide: "
	var f decide.Finding
	_, from := lastCrossover(m)
	switch {
	case len(not) > 0 && len(lower) > 0:
		f = evidence.NewFinding(decide.Depends, "on the strategy and the metric: below the shared pool "+
			"are %s, but not %s", evidence.Series(lower), evidence.Series(not))
	case len(open) > 0:
		f = evidence.Missing("%s", vary+evidence.Series(open))
	case len(lower) == 0:
		f = evidence.NewFinding(decide.DoesNotHold, "at R = %d both strategies are above the shared pool",
			taxAt)
	case len(higher) == 0 && len(level) > 0:
		f = evidence.Missing("both strategies are below the shared pool at R = %d, but elsewhere %s",
			taxAt, vary+few(level))
	case len(higher) == 0:
		f = evidence.NewFinding(decide.Holds, "both strategies are below the shared pool at every R (the "+
			"length of a long task in short ones)")
	case math.IsNaN(from.Mid):
		f = evidence.NewFinding(decide.Depends, "on R (the length of a long task in short ones): both "+
			"strategies pay at R = %d, but not %s", taxAt, few(higher))
	default:
		f = evidence.NewFinding(decide.Depends, "on R (the length of a long task in short ones): both "+
			"strategies pay above R = %s, but not %s", from, higher[0])
		f.Advice = fmt.Sprintf("split long tasks, or give them a separate pool, if they are at "+
			"least %s times as long as the short ones", text.Short(from.Mid))
	}
	if tax, _, _ := taxOf(m, shortTail); f.Verdict != decide.ClaimUndecided {
		f.Because += fmt.Sprintf("; at R = %d the shared pool has %s times %s's %s", taxAt, tax,
			sequential, shortTail.noun)
	}
	f.Table = &table
	f.Add("the table has the p99 of the short tasks and the mean slowdown, ÷ the shared pool's")
	return f
}

func (c comparison) name() string { return c.strategy + ", " + c.short }

// lastCrossover returns the comparison that becomes better at the highest R. at is NaN if one
// becomes worse again.
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
		if at := crossover(m, separate, of); !math.IsNaN(at.Mid) {
			f.Add("%s: a pool for each class costs more than it saves below R = %s", of.noun, at)
		}
	}
	if long := m.Ratio(costCell(sequential, taxAt), costCell(pooled, taxAt),
		metric.LongMeanResponse); !math.IsNaN(long.Mid) {
		f.Add("at R = %d the long tasks' mean response with %s is %s times that in the shared pool",
			taxAt, sequential, long)
	}
	for _, name := range costOthers(m) {
		f.AddLines(otherLine(m, name))
	}
}

// A strategy added by the user may lose tasks or exceed the limit.
func otherLine(m *evidence.Measured, name string) string {
	cell := costCell(name, taxAt)
	line := fmt.Sprintf("at R = %d %s has %s times the shared pool's %s, and %s times its %s", taxAt,
		name, comparison{name, shortTail}.at(m, taxAt), shortTail.noun,
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
