package judge

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

type Metric struct {
	Package   string
	Benchmark string
	Unit      string
	Better    verdict.Direction
	// Exact means that the metric is declared to be the same in every run, as allocs/op often is.
	Exact    bool
	Quantile float64 // quantile of a tail, such as 0.99 for p99; 0 for other metrics
	// Full means that values are printed with all digits, so steps between them are not rounding.
	Full    bool
	Allowed Allowance
}

func (m Metric) String() string { return m.Unit + " of " + m.benchmark() }

func (m Metric) benchmark() string {
	if m.Package == "" {
		return m.Benchmark
	}
	return m.Package + "." + m.Benchmark
}

// A Sample is a metric with its values: Pairs of runs, or Tails for a quantile. Base and Head are
// the values of all runs, if there are more than in the pairs.
type Sample struct {
	Metric
	Pairs      []Pair
	Tails      []TailPair
	Base, Head []float64
	// Unfit is the reason why these values get no verdict, for example an INVALID run, or "".
	Unfit string
	// all pairs have equal values that were not rounded
	equal bool
}

func (s Sample) N() int { return len(s.Pairs) + len(s.Tails) }

func (s Sample) empty() bool { return s.N() == 0 && (len(s.Base) == 0 || len(s.Head) == 0) }

func (o Options) pairsEqual(s Sample) bool {
	return len(s.Pairs) > 0 && !slices.ContainsFunc(s.Pairs, func(p Pair) bool {
		return p.Base != p.Head
	}) && o.rounding(s) == (rounding{})
}

func (s Sample) unpaired() Sample {
	s.Pairs, s.Tails, s.Quantile = nil, nil, 0
	return s
}

func (s Sample) sides() (bases, heads []float64) {
	if len(s.Base)+len(s.Head) > 0 {
		return s.Base, s.Head
	}
	return sides(s.values())
}

func (s Sample) first(n int) Sample {
	s.Pairs, s.Tails = s.Pairs[:min(n, len(s.Pairs))], s.Tails[:min(n, len(s.Tails))]
	return s
}

func (s Sample) values() []Pair {
	if s.Quantile == 0 {
		return s.Pairs
	}
	pairs := make([]Pair, len(s.Tails))
	for i, t := range s.Tails {
		pairs[i] = Pair{t.Base.Quantile(s.Quantile), t.Head.Quantile(s.Quantile)}
	}
	return pairs
}

// maxValues bounds the values of a metric on each side. Memory and time grow with its square: 0.2
// GB and 3 s at the limit.
const maxValues = 3000

func (s Sample) check() error {
	switch n := max(len(s.Base), len(s.Head), s.N()); {
	case n > maxValues:
		return s.errorf("%d values, at most %d can be judged: use fewer repetitions", n, maxValues)
	case s.Better != verdict.LowerIsBetter && s.Better != verdict.HigherIsBetter:
		return s.errorf("no direction: want higher or lower is better")
	case s.Quantile == 0 && len(s.Tails) > 0:
		return s.errorf("histograms, but no quantile to compute from them")
	case s.Quantile == 0:
		for _, v := range slices.Concat(s.Base, s.Head) {
			if err := checkValue(v); err != nil {
				return s.errorf("%w", err)
			}
		}
		for i, p := range s.Pairs {
			if err := errors.Join(checkValue(p.Base), checkValue(p.Head)); err != nil {
				return s.errorf("pair %d: %w", i+1, err)
			}
		}
		return nil
	case !(s.Quantile > 0 && s.Quantile < 1):
		return s.errorf("%v is no quantile: want one between 0 and 1", s.Quantile)
	case len(s.Pairs) > 0:
		return s.errorf("a quantile is judged by histograms, not by values")
	}
	for i, t := range s.Tails {
		if n, need := min(t.Base.Total(), t.Head.Total()), Resolvable(s.Quantile); n < need {
			return s.errorf("pair %d: %d values do not resolve the %v quantile: %d are needed", i+1,
				n, s.Quantile, need)
		}
	}
	return nil
}

func checkAll(samples []Sample) error {
	var wrong []error
	seen := make(map[[3]string]bool)
	for _, s := range samples {
		wrong = append(wrong, s.check())
		if id := s.id(); seen[id] {
			wrong = append(wrong, fmt.Errorf("%v is given twice", s.Metric))
		} else {
			seen[id] = true
		}
	}
	return errors.Join(wrong...)
}

func (m Metric) id() [3]string { return [3]string{m.Package, m.Benchmark, m.Unit} }

func (m Metric) seed(seed uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(m.Package + "." + m.Benchmark + "\x00" + m.Unit))
	return h.Sum64() ^ seed
}

func (m Metric) errorf(format string, args ...any) error {
	return fmt.Errorf("%v: %w", m, fmt.Errorf(format, args...))
}

type Pair struct{ Base, Head float64 }

// worsening returns 0 if both values are 0, and infinity if one of them is.
func worsening(base, head float64, better verdict.Direction) float64 {
	if base == head {
		return 0
	}
	// Unlike a difference of logarithms, the logarithm of the quotient is exactly equal for 2/1 and
	// 4/2, which makes them a tie.
	return -float64(better) * math.Log(math.Abs(head/base)) // a zero may have a sign
}

// Worsenings up to roundoff are equal: log(3/2) and −log(2/3) differ in the last digit.
const roundoff = 1e-12

func checkValue(v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%v has no ratio: want a number of at least 0", v)
	}
	return nil
}

func worsenings(pairs []Pair, better verdict.Direction) []float64 {
	changes := make([]float64, len(pairs))
	for i, p := range pairs {
		changes[i] = worsening(p.Base, p.Head, better)
	}
	return changes
}
