package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
)

// A comparison is a strategy beside the shared pool, by one reading.
type comparison struct {
	strategy string
	reading
}

// comparisons are the four on which the verdict rests.
var comparisons = []comparison{{sequential, shortTail}, {sequential, slowdown}, {separate, shortTail}, {separate, slowdown}}

// at is what the strategy has of the shared pool's reading at r, repetition by repetition.
func (c comparison) at(m *measured, r float64) interval {
	return ofProduct(m.each([]bench.Scenario{costCell(c.strategy, r), costCell(pooled, r)},
		func(value func(int, string) float64) float64 { return value(0, c.unit) / value(1, c.unit) }))
}

func (c comparison) String() string { return c.strategy + " in " + c.noun }

// below reports whether all of the interval is below 1, and above whether all is above; of a single value without an interval, the value.
func (in interval) below() bool { return in.hi < 1 || math.IsNaN(in.hi) && in.mid < 1 }
func (in interval) above() bool { return in.lo > 1 || math.IsNaN(in.lo) && in.mid > 1 }

// judgeCost puts partitioned and segregated beside the shared pool by the p99 response of the short tasks and by the mean slowdown of all: four
// comparisons at each R above 1, decided where the 95 % interval of the ratio does not hold 1.
//
// The claim holds where all four are lower at taxAt and none is higher at any R. It does not hold where none of the four is lower at
// taxAt. Else it depends: on R where all four are lower at taxAt, and on strategy and reading where only some are. It wants the lowest R
// and taxAt measured: at what R else there are runs sharpens the crossovers, and not the verdict.
func judgeCost(m *measured) Finding {
	var lower, not, higher []string
	for _, c := range comparisons {
		for _, r := range []float64{costRs[1], taxAt} {
			if math.IsNaN(c.at(m, r).mid) {
				return undecided("%s or %s was not measured at R = %v", c.strategy, pooled, r)
			}
		}
		if c.at(m, taxAt).below() {
			lower = append(lower, c.String())
		} else {
			not = append(not, c.String())
		}
		for _, r := range costRs[1:] {
			if c.at(m, r).above() {
				higher = append(higher, fmt.Sprintf("%s at R = %v", c, r))
			}
		}
	}
	tax, _, _ := taxOf(m, shortTail)
	said := fmt.Sprintf("at R = %d the short tasks' p99 in a shared pool is %s times that of %s", taxAt, tax, sequential)
	switch {
	case len(not) == 0 && len(higher) == 0:
		return found(Holds, "at no R does either cost more; %s", said)
	case len(lower) == 0:
		return found(DoesNotHold, "%s", said)
	case len(not) > 0:
		return found(Depends, "on strategy and reading: at R = %d %s is lower, %s is not; %s", taxAt, strings.Join(lower, ", "), strings.Join(not, ", "), said)
	}
	if c, from := lastCrossover(m); !math.IsNaN(from.mid) {
		return found(Depends, "on R: all four are lower above R = %s, where %s is the last to cross; %s", from, c, said)
	}
	return found(Depends, "on R: all are lower at R = %d, but higher is %s; %s", taxAt, strings.Join(higher, ", "), said)
}

// lastCrossover is the comparison that turns to the better last, and where; NaN where one crosses again, so that there is no such R.
func lastCrossover(m *measured) (last comparison, at interval) {
	at = ofProduct(nil)
	end := costRs[len(costRs)-1]
	for _, c := range comparisons {
		if in := c.at(m, end); in.above() {
			return last, ofProduct(nil)
		}
		if in := crossover(m, c.strategy, c.reading); in.mid > at.mid || math.IsNaN(at.mid) {
			last, at = c, in
		}
	}
	return last, at
}

// answerCost puts the headline into words: the cost at taxAt, where separate pools begin to pay, which strategy has the lowest reading
// where, what the long tasks pay, and where those stand that somebody named.
func answerCost(m *measured) (lines []string) {
	for _, of := range []reading{shortTail, slowdown} {
		if tax, _, _ := taxOf(m, of); !math.IsNaN(tax.mid) {
			lines = append(lines, fmt.Sprintf("%s: at R = %d (C² = %s) a shared pool has %s times that of %s",
				of.title, taxAt, short(halvesC2(taxAt)), tax, sequential))
		}
		if at := crossover(m, separate, of); !math.IsNaN(at.mid) {
			lines = append(lines, fmt.Sprintf("%s: a pool for each class costs more than it saves below R = %s", of.title, at))
		}
		lines = append(lines, bestOf(m, of)...)
	}
	if long := m.each([]bench.Scenario{costCell(sequential, taxAt), costCell(pooled, taxAt)},
		func(value func(int, string) float64) float64 {
			return value(0, "long-mean-response-sec") / value(1, "long-mean-response-sec")
		}); len(long) > 0 {
		lines = append(lines, fmt.Sprintf("the long tasks pay for it: at R = %d their mean response under %s is %s times that in a shared pool", taxAt, sequential, ofProduct(long)))
	}
	for _, name := range costOthers(m) {
		lines = append(lines, otherSays(m, name))
	}
	return lines
}

// otherSays is a line on a strategy that somebody named. One that does not complete all tasks, or has more of them in flight than the
// limit, is not to be had for the price of the others, and so it is not among those of which the lowest is found.
func otherSays(m *measured, name string) string {
	cell := costCell(name, taxAt)
	line := fmt.Sprintf("%s: at R = %d it is %s times the shared pool in %s, and %s times in %s", name, taxAt,
		comparison{name, shortTail}.at(m, taxAt), shortTail.noun, comparison{name, slowdown}.at(m, taxAt), slowdown.noun)
	lost := 0.0
	for _, unit := range []string{"shed/op", "throttled/op", "failed/op", "abandoned/op"} {
		if v := m.mean(cell, unit).mid; v > 0 {
			lost += v
		}
	}
	if lost > 0 {
		line += fmt.Sprintf("; it does not complete %s of the tasks", percent(lost))
	}
	if peak := ofMedian(m.values(cell, "peak-inflight")).hi; peak > limit {
		line += fmt.Sprintf("; it has up to %s tasks in flight, and the others %d", short(peak), limit)
	}
	return line
}

// bestOf says which strategy has the lowest reading over which R.
func bestOf(m *measured, of reading) []string {
	var spans []string
	best, from, to := "", 0.0, 0.0
	flush := func() {
		switch {
		case best == "":
		case from == to:
			spans = append(spans, fmt.Sprintf("%s at R = %v", best, from))
		default:
			spans = append(spans, fmt.Sprintf("%s from R = %v to %v", best, from, to))
		}
	}
	for _, r := range costRs {
		lead := leaders(m, of, r)
		if lead == "" {
			continue
		}
		if lead != best {
			flush()
			best, from = lead, r
		}
		to = r
	}
	flush()
	if len(spans) == 0 {
		return nil
	}
	return []string{of.title + ": the lowest has " + strings.Join(spans, ", ")}
}

// leaders are the strategy with the lowest mean and those that cannot be told from it: the interval of the ratio to it, repetition by
// repetition, holds 1.
func leaders(m *measured, of reading, r float64) string {
	lowest, first := math.Inf(1), ""
	for _, s := range costStrategies {
		if v := ofMean(m.values(costCell(s, r), of.unit)).mid; v < lowest {
			lowest, first = v, s
		}
	}
	if first == "" {
		return ""
	}
	var level []string
	for _, s := range costStrategies {
		in := ofProduct(m.each([]bench.Scenario{costCell(s, r), costCell(first, r)},
			func(value func(int, string) float64) float64 { return value(0, of.unit) / value(1, of.unit) }))
		if in.lo <= 1 {
			level = append(level, s)
		}
	}
	if len(level) == 0 { // a single repetition
		level = []string{first}
	}
	return strings.Join(level, " = ")
}
