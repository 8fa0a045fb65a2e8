package studies

import (
	"fmt"
	"math"
	"strings"

	"github.com/poolbench/poolbench/bench"
)

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
