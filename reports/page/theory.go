package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

type deviation struct {
	cell     *Cell
	off      float64 // relative
	lo, hi   float64 // 95 % interval of the measured p99, or NaN
	agreeing bool
}

func (c *Cell) deviation() (d deviation, ok bool) {
	exact, measured := c.Value(metric.TheoryP99Response), c.Value(metric.P99Response)
	if !(exact > 0) || !(measured > 0) {
		return d, false
	}
	d = deviation{cell: c, off: measured/exact - 1, lo: math.NaN(), hi: math.NaN(),
		agreeing: measured == exact}
	if in, told := c.Interval(metric.P99Response); told {
		d.off, d.lo, d.hi = in.Mid/exact-1, in.Lo, in.Hi
		d.agreeing = in.Lo <= exact && exact <= in.Hi
	}
	return d, true
}

const namedDeviations = 4

// againstTheory counts cells that agree with the exact p99 within their sampling error, and names
// the others.
func againstTheory(cells []*Cell, named func(*Cell) string) []string {
	var apart []deviation
	all, untold, farthest := 0, 0, deviation{}
	for _, c := range cells {
		d, ok := c.deviation()
		if !ok {
			continue
		}
		all++
		switch {
		case d.agreeing:
			if math.Abs(d.off) >= math.Abs(farthest.off) {
				farthest = d
			}
		case math.IsNaN(d.lo):
			untold++
		default:
			apart = append(apart, d)
		}
	}
	agreeing := all - untold - len(apart)
	switch {
	case all == 0:
		return nil
	case agreeing == all && all == 1:
		return []string{fmt.Sprintf("The p99 agrees with its exact value within its sampling "+
			"error: %s.", percentDiff(farthest.off))}
	case agreeing == all:
		return []string{fmt.Sprintf("In all %d scenarios with an exact theory, the p99 agrees "+
			"with the theory within its sampling error (95 %%). The largest difference is %s.",
			all, percentDiff(math.Abs(farthest.off))[1:])}
	case all == 1 && untold == 1:
		return []string{"The run is too short to check whether the p99 agrees with its exact value."}
	case untold == all:
		return []string{fmt.Sprintf("The runs are too short to check whether the p99 agrees with "+
			"its exact value, which %d scenarios have.", all)}
	}
	text := fmt.Sprintf("In %d of %d scenarios with an exact theory and long enough runs, the "+
		"p99 agrees with the theory within its sampling error (95 %%).", agreeing, all-untold)
	slices.SortStableFunc(apart, func(a, b deviation) int {
		return cmp.Compare(math.Abs(b.off), math.Abs(a.off))
	})
	var names []string
	for _, d := range apart {
		names = append(names,
			fmt.Sprintf("%s is %s off (%s)", named(d.cell), percentDiff(d.off), d.why()))
	}
	if more := len(names) - namedDeviations; more > 1 {
		names = append(names[:namedDeviations], fmt.Sprintf("%d more are off by less", more))
	}
	if len(names) > 0 {
		text += " Outside it: " + strings.Join(names, "; ") + "."
	}
	if by := 0.05 * float64(all-untold); len(apart) > 0 && float64(len(apart)) <= 2*by {
		text += " By chance, one in twenty is outside its sampling error."
	} else if len(apart) > 1 {
		text += " Scenarios with the same arrivals and tasks have similar errors."
	}
	if untold > 0 {
		text += fmt.Sprintf(" In %d more, the runs are too short.", untold)
	}
	return []string{text}
}

func (d deviation) why() string {
	if doubt := d.cell.Doubts(); doubt != nil && len(doubt.Why) > 0 {
		return doubt.Verdict.String() + ": " + doubt.Why[0].Text
	}
	return text.Span(text.Seconds(d.lo), " – ", text.Seconds(d.hi))
}

// InGroup names a cell within its group.
func (c *Cell) InGroup() string {
	return strings.TrimSuffix(c.Strategy+" at "+c.Place(), " at ")
}

// InFile names a cell within its file.
func (c *Cell) InFile() string {
	parts := []string{c.Strategy, results.Lookup(c.Cell[0].Keys, "workload"), c.Place()}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}
