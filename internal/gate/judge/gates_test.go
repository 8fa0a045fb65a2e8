package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

const (
	benchmarks = 20
	regressed  = 2
)

type experiment struct {
	options judge.Options
	from    source
	factor  float64 // factor on the head's time in the regressed benchmarks; 1 means no regression
	// standard deviation of the log effect of a build's memory layout
	layout float64
	builds int
}

type outcome struct {
	alarms       int // 1 if an unchanged benchmark is called worse
	falseBetter  int // 1 if an unchanged benchmark is called better
	inconclusive int // 1 if an unchanged benchmark is inconclusive
	found        int // number of regressed benchmarks found
	runs         int
	screening    int // runs in the first stage
	forecast     int // 1 if the number of fresh pairs is as forecast before the first stage
	reforecast   int // 1 if it is as forecast after the first stage

	// mean detectable worsening of unchanged benchmarks
	detectable float64
}

// gate simulates one gate. The first stage alternates between the builds, and the second stage uses
// new builds for each pair.
func (e experiment) gate(rng *rand.Rand) (o outcome, err error) {
	next := e.from.start(rng)
	effects := make([][2][]float64, benchmarks) // layout effects by benchmark, side and build
	for b := range effects {
		for arm := range effects[b] {
			for range e.builds {
				effects[b][arm] = append(effects[b][arm], math.Exp(e.layout*rng.NormFloat64()))
			}
		}
	}
	round := 0
	effect := func(b, arm int) float64 {
		if round < e.options.ScreenPairs || e.builds == 1 {
			return effects[b][arm][round%e.builds]
		}
		return math.Exp(e.layout * rng.NormFloat64())
	}
	measure := func(pairs map[string][]judge.Pair, due func(b int) bool) {
		for _, b := range rng.Perm(benchmarks) {
			if !due(b) {
				continue
			}
			value := pair(rng, func(arm int) float64 {
				o.runs++
				value := next() * effect(b, arm)
				if arm == 1 && b < regressed {
					value *= e.factor
				}
				return value
			})
			pairs[name(b)] = append(pairs[name(b)], judge.Pair{Base: value[0], Head: value[1]})
		}
		round++
	}
	first := make(map[string][]judge.Pair)
	for range e.options.ScreenPairs {
		measure(first, func(int) bool { return true })
	}
	o.screening = o.runs
	var samples []judge.Sample
	for b := range benchmarks {
		samples = append(samples, judge.Sample{Metric: metric(b), Pairs: first[name(b)]})
	}
	screening, err := judge.Screen(e.options, samples)
	if err != nil {
		return o, err
	}
	second := make(map[string][]judge.Pair)
	order := func(orders []judge.PairRequest) (fresh []judge.Sample) {
		wanted, most := make(map[string]int), 0
		for _, order := range orders {
			wanted[order.Benchmark] = order.Pairs
			most = max(most, order.Pairs-len(second[order.Benchmark]))
		}
		for range most {
			measure(second, func(b int) bool { return len(second[name(b)]) < wanted[name(b)] })
		}
		for _, m := range append(screening.Suspects(), screening.Hopefuls()...) {
			fresh = append(fresh, judge.Sample{Metric: m, Pairs: second[m.Benchmark]})
		}
		return fresh
	}
	fresh := order(screening.Orders())
	for runs := -1; runs != o.runs; {
		runs = o.runs
		more, err := screening.More(fresh)
		if err != nil {
			return o, err
		}
		fresh = order(more)
	}
	report, err := screening.Decide(fresh)
	if err != nil {
		return o, err
	}
	within := func(least, most float64) int {
		if n := float64(o.runs-o.screening) / 2; n < least || n > most {
			return 0
		}
		return 1
	}
	var changes []float64
	for _, pairs := range first {
		changes = append(changes, math.Log(pairs[0].Head/pairs[0].Base))
	}
	few, many := judge.FreshExpected(changes)
	o.forecast = within(few*benchmarks, many*benchmarks)
	o.reforecast = within(pairsOf(screening.Orders()), pairsOf(screening.Expected()))
	if len(report.Rows) != benchmarks {
		return o, fmt.Errorf("%d of %d benchmarks are judged", len(report.Rows), benchmarks)
	}
	for b, row := range report.Rows {
		is := e.factor != 1 && b < regressed
		if e.factor == 1 {
			o.detectable += row.Detectable / benchmarks
		}
		wanted := verdict.Worse
		if e.factor < 1 {
			wanted = verdict.Better
		}
		switch {
		case is && row.Verdict == wanted:
			o.found++
		case is:
		case row.Verdict == verdict.Worse:
			o.alarms = 1
		case row.Verdict == verdict.Better:
			o.falseBetter = 1
		case row.Verdict == verdict.Inconclusive:
			o.inconclusive = 1
		}
	}
	return o, nil
}

func pairsOf(orders []judge.PairRequest) (sum float64) {
	for _, order := range orders {
		sum += float64(order.Pairs)
	}
	return sum
}

func name(b int) string { return fmt.Sprintf("b%02d", b) }

func metric(b int) judge.Metric {
	return judge.Metric{Benchmark: name(b), Unit: "sec/op", Better: verdict.LowerIsBetter}
}
