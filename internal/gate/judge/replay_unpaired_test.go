package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// side describes the runs of a revision. spread is the standard deviation of their logarithms.
type side struct {
	n      int
	spread float64
}

func (s side) String() string { return fmt.Sprintf("%d of %.3g %%", s.n, 100*s.spread) }

type shape struct {
	name string
	draw func(rng *rand.Rand) float64
}

var shapes = []shape{
	{"log-normal", (*rand.Rand).NormFloat64},
	// skewed towards worse, like times on a busy machine
	{"skewed", func(rng *rand.Rand) float64 { return rng.ExpFloat64() - math.Ln2 }},
	{"outliers", func(rng *rand.Rand) float64 {
		if v := rng.NormFloat64(); rng.Float64() >= 0.1 {
			return v
		} else {
			return 5 * v
		}
	}},
	// skewed towards better
	{"skewed away", func(rng *rand.Rand) float64 { return math.Ln2 - rng.ExpFloat64() }},
}

// promised contains the shapes with a guaranteed level.
var promised = shapes[:3]

var unequal = [][2]side{
	{{30, 0.02}, {8, 0.10}}, {{20, 0.01}, {8, 0.15}}, {{10, 0.01}, {10, 0.15}},
	{{60, 0.02}, {10, 0.10}}, {{12, 0.10}, {30, 0.02}},
	{{8, 0.10}, {30, 0.02}}, {{8, 0.02}, {30, 0.10}}, {{40, 0.02}, {12, 0.15}},
	{{30, 0.05}, {8, 0.10}}, {{60, 0.03}, {40, 0.10}}, {{20, 0.10}, {8, 0.10}},
	{{4, 0.02}, {4, 0.10}}, {{6, 0.02}, {6, 0.10}}, {{12, 0.03}, {6, 0.10}},
	{{30, 0.02}, {6, 0.10}},
}

const shortList = 5

var equal = [][2]side{
	{{6, 0.05}, {6, 0.05}}, {{8, 0.05}, {8, 0.05}}, {{10, 0.05}, {10, 0.05}},
	{{20, 0.05}, {20, 0.05}},
	{{30, 0.05}, {8, 0.05}}, {{8, 0.05}, {20, 0.05}}, {{6, 0.05}, {10, 0.05}},
	{{10, 0.05}, {6, 0.05}},
}

func (r *replayer) unpaired() (goals []goal) {
	for i, of := range promised {
		for at, sides := range unequal {
			if i > 0 && at >= shortList {
				break
			}
			goals = append(goals,
				atMost("F4", fmt.Sprintf("unchanged code called worse, %s, %v against %v", of.name,
					sides[1], sides[0]), 6, r.alarms(r.options, of, sides)[byGate], r.gates))
		}
	}
	for _, sides := range equal {
		found := r.found(shapes[0], sides)
		goals = append(goals,
			atMost("P6", fmt.Sprintf("not found, which the plain rank test finds (%d), %v "+
				"against %v", found[byRank], sides[1], sides[0]), 3, found[byRank]-found[byGate],
				r.comparisons()))
	}
	return goals
}

func (of shape) runs(
	rng *rand.Rand, m judge.Metric, sides [2]side, factor float64,
) judge.Sample {
	values := func(s side, factor float64) []float64 {
		runs := make([]float64, s.n)
		for i := range runs {
			runs[i] = factor * math.Exp(s.spread*of.draw(rng))
		}
		return runs
	}
	return judge.Sample{Metric: m, Base: values(sides[0], 1), Head: values(sides[1], factor)}
}

const (
	byRank = iota
	byGate
)

func (r *replayer) alarms(o judge.Options, of shape, sides [2]side) [2]int {
	return r.hits(r.gates, func(rng *rand.Rand) (worse [2]bool, err error) {
		family, tests := make([]judge.Sample, benchmarks), judge.RankSums{}
		for b := range family {
			family[b] = of.runs(rng, metric(b), sides, 1)
			worse[byRank] = worse[byRank] || byRanks(tests, o, family[b]) <= o.Alpha/benchmarks
		}
		report, err := judge.JudgeOnce(o, family)
		if err != nil {
			return worse, err
		}
		worse[byGate] = slices.ContainsFunc(report.Rows, func(row judge.Row) bool {
			return row.Verdict == verdict.Worse
		})
		return worse, nil
	})
}

// byRanks returns the p of the plain rank test.
func byRanks(tests judge.RankSums, o judge.Options, s judge.Sample) float64 {
	base := make([]float64, len(s.Base))
	for i, v := range s.Base {
		base[i] = v * (1 + o.Margin)
	}
	return tests.Test(base, s.Head).Greater
}

func (r *replayer) comparisons() int { return 4 * r.draws }

// found counts how often the plain rank test and the gate detect a worsening of 4 standard errors.
func (r *replayer) found(of shape, sides [2]side) [2]int {
	se := sides[0].spread * math.Sqrt(1/float64(sides[0].n)+1/float64(sides[1].n))
	level := r.options.Alpha / benchmarks
	return r.hits(r.comparisons(), func(rng *rand.Rand) ([2]bool, error) {
		s := of.runs(rng, metric(0), sides, (1+r.options.Margin)*math.Exp(worsening*se))
		e, err := judge.Weigh(r.options, 1, s)
		return [2]bool{byRanks(judge.RankSums{}, r.options, s) <= level, e.PWorse <= level}, err
	})
}

const worsening = 4
