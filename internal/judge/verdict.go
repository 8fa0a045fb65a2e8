package judge

import (
	"fmt"
	"math"
)

// Verdict on one metric.
type Verdict string

// The verdicts, from the one to look at first. Inconclusive is not a pass.
const (
	Worse        Verdict = "worse"        // the change for the worse exceeds the margin, significantly
	Inconclusive Verdict = "inconclusive" // the values neither show a change nor rule out one that matters
	Better       Verdict = "better"       // the change for the better exceeds the margin, significantly
	NoWorse      Verdict = "no worse"     // a change as large as the promise for the worse is ruled out
)

// A Cause says why a verdict is inconclusive.
type Cause int

// The causes.
const (
	None        Cause = iota // it is not
	TooFew                   // no values at all could have been significant in the adjusted test, or bounded the interval
	Appearance               // the base is 0 throughout, the head is not
	NotRuledOut              // a worsening as large as the promise may be there
)

// A Conclusion is the verdict on one metric of a family.
type Conclusion struct {
	Verdict                 Verdict
	Cause                   Cause
	PWorseHolm, PBetterHolm float64 // adjusted over the family; those of untested evidence as they are
	Detectable              float64 // worsening that would have been found worse four times out of five; NaN where it cannot be told
	Family                  int     // tests that p was adjusted for
}

// Conclude passes a verdict on each evidence of a family, in its order. The chance of any false "worse" among them is alpha at most.
//
// Worse and better are significant beyond the margin after Holm's adjustment. Short of that a metric is no worse when its interval leaves
// out a worsening as large as the promise. All else is inconclusive, and so is, whatever its numbers, evidence of too few values.
func Conclude(o Options, family []Evidence) []Conclusion {
	var worse, better []float64
	for _, e := range family {
		if e.Tested() {
			worse, better = append(worse, e.PWorse), append(better, e.PBetter)
		}
	}
	tests := len(worse)
	worse, better = Holm(worse), Holm(better)
	conclusions := make([]Conclusion, len(family))
	for i, e := range family {
		c := Conclusion{PWorseHolm: e.PWorse, PBetterHolm: e.PBetter, Detectable: o.margin() + e.SE, Family: tests}
		if e.Tested() {
			c.PWorseHolm, c.PBetterHolm = worse[0], better[0]
			worse, better = worse[1:], better[1:]
			c.Detectable = o.margin() + (NormalQuantile(power)-NormalQuantile(e.attainable(o.Alpha/float64(tests))))*e.SE
		}
		c.Verdict, c.Cause = o.verdict(e, c)
		conclusions[i] = c
	}
	return conclusions
}

// attainable is the largest p of the evidence's test that is significant at alpha: those of few pairs come in large steps.
func (e Evidence) attainable(alpha float64) float64 {
	if e.n > 0 {
		if p := attainable(e.n, alpha); p > 0 {
			return p
		}
		return math.NaN() // nothing could be found
	}
	return alpha
}

func (o Options) verdict(e Evidence, c Conclusion) (Verdict, Cause) {
	switch {
	case e.Tested() && e.LeastP > o.Needed(c.Family)*(1+1e-9): // it may have been computed by logarithms
		return Inconclusive, TooFew
	case c.PWorseHolm <= o.Alpha:
		return Worse, None
	case c.PBetterHolm <= o.Alpha:
		return Better, None
	case e.Appeared:
		return Inconclusive, Appearance
	case e.High < o.promise():
		return NoWorse, None
	}
	return Inconclusive, NotRuledOut
}

// Needed is what the smallest possible p of a test must not exceed in a family of that many tests for a verdict to be had: alpha
// shared among the tests, and half of alpha for the interval.
func (o Options) Needed(tests int) float64 { return min(o.Alpha/float64(tests), o.Alpha/2) }

// Because puts the cause of a conclusion into words; "" where there is none, and for TooFew: how many there are the conclusion does not know.
func (o Options) Because(c Conclusion) string {
	switch c.Cause {
	case Appearance:
		return "was 0 in every run, and no longer is"
	case NotRuledOut:
		return fmt.Sprintf("a change for the worse of %.4g%% is not ruled out", 100*o.Promise)
	}
	return ""
}

// power is the chance with which the second stage is to find a worsening of the promise, and with which one of the detectable size is found.
const power = 0.8

// DetectableRatio turns the worsening of a Conclusion into a ratio of head to base.
func DetectableRatio(worsening float64, better Direction) float64 {
	return math.Exp(-float64(better) * worsening)
}
