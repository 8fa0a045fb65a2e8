package judge

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/statistics"
)

// conclude sets the verdicts so that the probability of any false "worse" in the family is at most
// alpha. "Worse" and "better" mean significantly beyond the margin after Holm's adjustment.
// Otherwise a metric is "no worse" if its interval excludes a worsening as large as the promise.
func (o Options) conclude(family []*Row) (tests int) {
	tests = o.adjust(family)
	for _, row := range family {
		row.Verdict, row.Reason = o.verdict(row, tests)
	}
	return tests
}

func (o Options) adjust(family []*Row) (tests int) {
	var worse, better []float64
	for _, row := range family {
		if row.Tested() {
			worse, better = append(worse, row.PWorse), append(better, row.PBetter)
		}
	}
	tests = len(worse)
	worse, better = holm(worse), holm(better)
	for _, row := range family {
		row.PWorseHolm, row.PBetterHolm = row.PWorse, row.PBetter
		z := 1.0
		if row.Tested() {
			row.PWorseHolm, row.PBetterHolm = worse[0], better[0]
			worse, better = worse[1:], better[1:]
			z = statistics.NormalQuantile(power) -
				statistics.NormalQuantile(row.attainable(o.Alpha/float64(tests)))
		}
		margin := o.margin()
		if row.allocates { // allocations use row.least instead of the margin
			margin = 0
		}
		row.Detectable = max(row.Step, row.least, margin+z*row.SE)
	}
	return tests
}

// attainable returns the largest possible p that is significant at alpha. With few pairs p takes
// few values.
func (e Evidence) attainable(alpha float64) float64 {
	if e.n > 0 {
		if p := attainable(e.n, alpha); p > 0 {
			return p
		}
		return math.NaN()
	}
	return alpha
}

func (o Options) verdict(row *Row, tests int) (of verdict.Verdict, reason string) {
	if row.allocates {
		return o.allocationVerdict(row, tests)
	}
	switch needed := o.Needed(tests); {
	case row.Tested() && row.LeastP > needed*(1+1e-9):
		if row.Test == verdict.ByRank {
			return verdict.Inconclusive, tooFewSamples(row, needed)
		}
		return verdict.Inconclusive, tooFewPairs(row.N, MinPairs(needed))
	case row.PWorseHolm <= o.Alpha:
		return verdict.Worse, ""
	case row.PBetterHolm <= o.Alpha:
		return verdict.Better, ""
	case row.Appeared:
		return verdict.Inconclusive, "0 in every run of the base, above 0 in the head"
	case row.High < o.promise():
		return verdict.NoWorse, ""
	case row.Step >= o.promise():
		return verdict.Inconclusive, o.coarse(row)
	}
	return verdict.Inconclusive, o.notRuledOut()
}

// Needed returns the largest LeastP that allows a verdict. The interval requires at most half of
// alpha.
func (o Options) Needed(tests int) float64 { return min(o.Alpha/float64(tests), o.Alpha/2) }

func tooFewSamples(row *Row, needed float64) string {
	return fmt.Sprintf("too few samples: %d and %d, need %d each", row.N, row.HeadN,
		SamplesFor(needed))
}

func tooFewPairs(n, need int) string {
	return fmt.Sprintf("too few pairs: %d, and %d are needed", n, need)
}

func (o Options) notRuledOut() string {
	return fmt.Sprintf("a regression of %.4g %% is not excluded", 100*o.Promise)
}

func (o Options) coarse(row *Row) string {
	return fmt.Sprintf("values are rounded to steps of %.2g%%, which may hide a regression of "+
		"%.4g%% (if the values are exact, add assume=exact in a Unit line)", 100*math.Expm1(row.Step),
		100*o.Promise)
}

const power = 0.8

// holm adjusts the p-values of a family of tests, which may depend on each other (Holm 1979).
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	floats.ArgsortStable(slices.Clone(ps), order)
	adjusted := make([]float64, len(ps))
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, float64(len(ps)-i)*ps[at]))
		adjusted[at] = least
	}
	return adjusted
}
