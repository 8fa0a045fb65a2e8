package judge

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// An Allowance is the accepted growth of an allocation metric: the larger of an amount and a share
// of the base.
type Allowance struct{ Amount, Share float64 }

func (a Allowance) amount(base float64) float64 { return max(a.Amount, a.Share*base) }

// allocations compares by differences, because ratios have no meaning for 0 and 3 B/op. Package
// testing divides the allocations of the whole process by the iterations and truncates, so equal
// programs differ. A difference counts if it exceeds all of these:
//   - the allowance, and for B/op the margin;
//   - half an allocation, or 4 bytes (half of Go's smallest block), or 1 byte if all runs of each
//     side have the same value;
//   - twice the median difference between two runs of the same revision, less one step of
//     truncation.
type allocations struct {
	base, head  []float64
	from        float64
	grown       float64
	allowed     float64
	least       float64 // largest difference that does not count
	paired      []Pair
	leastReason string // why a difference up to least does not count
}

// Real differences are nearly always far more significant than this share of alpha, and false
// alarms about allocations cost trust.
const allocationLevel = 1.0 / 50

const fewestSteady = 3

// Values of poolbench's own runs are not judged as allocations, because they are not truncated and
// include the harness.
func (s Sample) allocates() bool {
	return verdict.IsAllocation(s.Unit) && !s.Full && s.Better == verdict.LowerIsBetter
}

func (s Sample) steady() bool {
	bases, heads := s.sides()
	return constant(bases) && constant(heads) &&
		(bases[0] == heads[0] || min(len(bases), len(heads)) >= fewestSteady)
}

func (o Options) allocations(s Sample) allocations {
	a := allocations{paired: s.Pairs}
	a.base, a.head = s.sides()
	a.from = statistics.Median(a.base)
	var across []float64
	for _, from := range a.base {
		for _, to := range a.head {
			across = append(across, to-from)
		}
	}
	a.grown = statistics.Median(across)
	a.allowed = s.Allowed.amount(a.from)
	half := 0.5
	if s.Unit == metric.BytesPerOp {
		a.allowed = max(a.allowed, o.Margin*a.from)
		if half = 4; s.steady() {
			half = 1
		}
	}
	a.least = a.allowed
	if s.Allowed != (Allowance{}) {
		a.leastReason = "within the allowance"
	}
	if half > a.least {
		a.least, a.leastReason = half, "less than one allocation per operation"
	}
	if noise := 2 * (differenceWithin(a.base, a.head) - 1); noise > a.least {
		a.least, a.leastReason = noise, "runs of the same revision differ equally"
	}
	return a
}

func differenceWithin(sides ...[]float64) float64 {
	var all []float64
	for _, side := range sides {
		for i, a := range side {
			for _, b := range side[:i] {
				all = append(all, math.Abs(a-b))
			}
		}
	}
	if len(all) == 0 {
		return 0
	}
	return statistics.Median(all)
}

func (o Options) weighAllocations(s Sample, ranks RankSums) Evidence {
	a := o.allocations(s)
	grown := a.grown
	e := Evidence{allocates: true, Change: a.change(grown), PWorse: 1, PBetter: 1, SE: math.NaN(),
		overlap: slices.Min(a.head) <= slices.Max(a.base) &&
			slices.Min(a.base) <= slices.Max(a.head),
		alike: math.Abs(grown) <= a.least*(1+roundoff), least: a.change(a.least)}
	if e.alike && grown != 0 {
		e.why = a.leastReason
	}
	e.Low, e.High = e.Change, e.Change
	if s.steady() {
		if e.Equal = grown == 0; a.from > 0 {
			e.SE = 0
		}
		switch {
		case e.alike:
		case grown > 0:
			e.PWorse = 0
		default:
			e.PBetter = 0
		}
		return e
	}
	e.test(a, o, ranks)
	e.hinted = s.Unit == metric.AllocsPerOp && min(e.PWorse, e.PBetter) <= o.SuspectAt
	if grown <= a.least*(1+roundoff) {
		e.PWorse = 1
	}
	if -grown <= a.least*(1+roundoff) {
		e.PBetter = 1
	}
	return e
}

func (e *Evidence) test(a allocations, o Options, ranks RankSums) {
	if len(a.paired) > 0 {
		differences := make([]float64, len(a.paired))
		for i, p := range a.paired {
			differences[i] = p.Head - p.Base
		}
		e.Test, e.n, e.LeastP = verdict.BySignedRank, len(differences), minP(len(differences))
		_, low, high := hodgesLehmann(differences, 1-o.Alpha)
		e.Low, e.High = a.change(low), a.change(high)
		e.PWorse = newSignedRank(minus(differences, a.allowed)).Greater
		e.PBetter = newSignedRank(minus(differences, -a.allowed)).Less
		if a.from > 0 {
			e.SE = standardError(differences) / a.from
		}
	} else {
		e.Test, e.LeastP = verdict.ByRank, o.minUnpairedP(len(a.base), len(a.head))
		e.PWorse = ranks.compare(a.base, minus(a.head, a.allowed)).at(1).Greater
		e.PBetter = ranks.compare(a.base, minus(a.head, -a.allowed)).at(1).Less
		if to := ranks.compare(a.base, a.head).shift(1 - o.Alpha); a.from > 0 {
			e.Low, e.High = math.Log(to.Lo), math.Log(to.Hi)
		}
	}
	e.Low, e.High = min(e.Low, e.Change), max(e.High, e.Change)
}

// change returns a difference as the logarithm of a ratio to the base.
func (a allocations) change(difference float64) float64 {
	switch {
	case a.from == 0 && difference <= a.least:
		return 0
	case a.from == 0:
		return math.Inf(1)
	}
	return math.Log(max(0, 1+difference/a.from))
}

// allocationVerdict returns "no worse" unless a growth is significant, because the noise of
// allocations comes from the machine and the runtime.
func (o Options) allocationVerdict(row *Row, tests int) (of verdict.Verdict, reason string) {
	alpha, needed := o.Alpha*allocationLevel, o.Needed(tests)*allocationLevel
	switch {
	case row.alike:
		return verdict.NoWorse, row.why
	case row.PWorseHolm <= alpha:
		return verdict.Worse, ""
	case row.PBetterHolm <= alpha:
		return verdict.Better, ""
	case row.overlap || row.Change < 0:
		return verdict.NoWorse, "runs of the same revision differ equally"
	case row.Test == verdict.ByRank:
		return verdict.Inconclusive, tooFewSamples(row, needed)
	}
	return verdict.Inconclusive, tooFewPairs(row.N, MinPairs(needed))
}
