package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
)

// judgeCost is the rule of the study's verdict.
func judgeCost(m *measured) Finding {
	lowerAt := func(r float64) (lower, of int) {
		for _, strategy := range []string{sequential, separate} {
			for _, reading := range []reading{shortTail, slowdown} {
				in := ofProduct(m.each([]bench.Scenario{costCell(strategy, r), costCell(pooled, r)},
					func(value func(int, string) float64) float64 { return value(0, reading.unit) / value(1, reading.unit) }))
				if math.IsNaN(in.mid) {
					continue
				}
				of++
				if in.hi < 1 {
					lower++
				}
			}
		}
		return lower, of
	}
	from, everywhere := math.NaN(), true
	for _, r := range costRs[1:] {
		lower, of := lowerAt(r)
		if of < 4 {
			return undecided("R = %v was not measured", r)
		}
		if lower == of && math.IsNaN(from) {
			from = r
		} else if lower < of {
			from, everywhere = math.NaN(), false
		}
	}
	lower, of := lowerAt(taxAt)
	tax, _, _ := taxOf(m, shortTail)
	said := fmt.Sprintf("at R = %d the short tasks' p99 in a shared pool is %s times that of %s", taxAt, tax, sequential)
	switch {
	case everywhere:
		return found(Holds, "at every R: %s", said)
	case lower == 0:
		return found(DoesNotHold, "%s", said)
	case math.IsNaN(from):
		return found(Depends, "on strategy and reading: at R = %d %d of %d are lower; %s", taxAt, lower, of, said)
	}
	return found(Depends, "on R: both do, in tail and slowdown, from R = %v on; %s", from, said)
}

// answerCost puts the headline into words: the cost at taxAt, where separate pools begin to pay, which strategy has the lowest reading
// where, and what the long tasks pay.
func answerCost(m *measured) (lines []string) {
	for _, of := range []reading{shortTail, slowdown} {
		if tax, _, _ := taxOf(m, of); !math.IsNaN(tax.mid) {
			lines = append(lines, fmt.Sprintf("%s: at R = %d (C² = %s) a shared pool has %s times that of %s",
				of.title, taxAt, short(halvesC2(taxAt)), tax, sequential))
		}
		if at := crossover(m, of); !math.IsNaN(at.mid) {
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
	return lines
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
