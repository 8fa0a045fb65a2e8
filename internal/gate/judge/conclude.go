package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/poolbench/poolbench/reports/gate/verdict"
)

// A cause says why a verdict is inconclusive.
type cause int

const (
	none cause = iota // it is not
	// no values at all could have been significant in the adjusted test, or bounded the interval
	tooFew
	appearance  // the base is 0 throughout, the head is not
	notRuledOut // a worsening as large as the promise may be there
	coarse      // likewise, since the values are rounded to steps as large
)

// A conclusion is the verdict on one metric of a family.
type conclusion struct {
	verdict verdict.Verdict
	cause   cause
	// adjusted over the family; those of untested evidence as they are
	pWorseHolm, pBetterHolm float64
	// worsening that would have been found worse four times out of five; NaN where it cannot be
	// told
	detectable float64
	family     int     // tests that p was adjusted for
	step       float64 // of the evidence
}

// conclude passes a verdict on each evidence of a family, in its order. The chance of any false
// "worse" among them is alpha at most.
//
// Worse and better are significant beyond the margin after Holm's adjustment. Short of that a
// metric is no worse when its interval leaves out a worsening as large as the promise. All else is
// inconclusive, and so is, whatever its numbers, evidence of too few values.
func conclude(o Options, family []Evidence) []conclusion {
	var worse, better []float64
	for _, e := range family {
		if e.Tested() {
			worse, better = append(worse, e.PWorse), append(better, e.PBetter)
		}
	}
	tests := len(worse)
	worse, better = holm(worse), holm(better)
	conclusions := make([]conclusion, len(family))
	for i, e := range family {
		c := conclusion{pWorseHolm: e.PWorse, pBetterHolm: e.PBetter,
			detectable: max(e.Step, o.margin()+e.SE), family: tests, step: e.Step}
		if e.Tested() {
			c.pWorseHolm, c.pBetterHolm = worse[0], better[0]
			worse, better = worse[1:], better[1:]
			z := normalQuantile(power) - normalQuantile(e.attainable(o.Alpha/float64(tests)))
			c.detectable = max(e.Step, o.margin()+z*e.SE)
		}
		c.verdict, c.cause = o.verdict(e, c)
		conclusions[i] = c
	}
	return conclusions
}

// attainable is the largest p of the evidence's test that is significant at alpha: those of few
// pairs come in large steps.
func (e Evidence) attainable(alpha float64) float64 {
	if e.n > 0 {
		if p := attainable(e.n, alpha); p > 0 {
			return p
		}
		return math.NaN() // nothing could be found
	}
	return alpha
}

func (o Options) verdict(e Evidence, c conclusion) (verdict.Verdict, cause) {
	switch {
	case e.Tested() && e.LeastP > o.Needed(c.family)*(1+1e-9):
		// it may have been computed by logarithms
		return verdict.Inconclusive, tooFew
	case c.pWorseHolm <= o.Alpha:
		return verdict.Worse, none
	case c.pBetterHolm <= o.Alpha:
		return verdict.Better, none
	case e.Appeared:
		return verdict.Inconclusive, appearance
	case e.High < o.promise():
		return verdict.NoWorse, none
	case e.Step >= o.promise():
		return verdict.Inconclusive, coarse
	}
	return verdict.Inconclusive, notRuledOut
}

// Needed is what the smallest possible p of a test must not exceed in a family of that many tests
// for a verdict to be had: alpha shared among the tests, and half of alpha for the interval.
func (o Options) Needed(tests int) float64 { return min(o.Alpha/float64(tests), o.Alpha/2) }

// because puts the cause of a conclusion into words; "" where there is none, and for tooFew: how
// many there are the conclusion does not know.
func (o Options) because(c conclusion) string {
	switch c.cause {
	case appearance:
		return "was 0 in every run, and no longer is"
	case notRuledOut:
		return fmt.Sprintf("a change for the worse of %.4g%% is not ruled out", 100*o.Promise)
	case coarse:
		return fmt.Sprintf("rounded to steps of %.2g%%, which may hide a change for the worse of "+
			"%.4g%% (if they are not: assume=exact in a Unit line)",
			100*math.Expm1(c.step), 100*o.Promise)
	}
	return ""
}

// power is the chance with which the second stage is to find a worsening of the promise, and with
// which one of the detectable size is found.
const power = 0.8

// holm adjusts the p-values of a family of tests so that rejecting those of at most alpha errs in
// any of them with probability alpha at most, however they depend on each other (Holm 1979): the
// i-th smallest of m is multiplied by m−i+1, and none comes out below a smaller one.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted := make([]float64, len(ps))
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, float64(len(ps)-i)*ps[at]))
		adjusted[at] = least
	}
	return adjusted
}
