package judge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/poolbench/poolbench/internal/gate/judge"
)

type goal struct {
	id, what  string
	least     bool    // got must be at least wanted, otherwise at most
	wanted    float64 // in percent, or in unit
	got       float64
	unit      string
	hits, of  int    // numerator and denominator of a share; 0 and 0 for other figures
	basis     string // source of a figure that is not a share
	noPromise bool   // informative only
}

func (g goal) reached() bool {
	if g.least {
		return g.got >= g.wanted
	}
	return g.got <= g.wanted
}

func atLeast(id, what string, wanted float64, hits, of int) goal {
	g := atMost(id, what, wanted, hits, of)
	g.least = true
	return g
}

func atMost(id, what string, wanted float64, hits, of int) goal {
	return goal{id: id, what: what, wanted: wanted, got: 100 * float64(hits) / float64(of),
		unit: "%", hits: hits, of: of}
}

type replayer struct {
	traces  *traces
	seed    uint64
	options judge.Options
	gates   int
	draws   int // comparisons of a single metric
	builds  int // builds per side, if layout matters
	workers int
	stream  uint64 // number of the experiment, which selects its random numbers
}

func full(t *traces, seed uint64) *replayer {
	return &replayer{traces: t, seed: seed, options: judge.Defaults(), gates: 2000, draws: 1000,
		builds: 6, workers: 2}
}

// layoutEffect is the effect of the memory layout of a build on times. Measured: 1.2 to 2.1 % of
// cycles.
const layoutEffect = 0.015

const (
	runTime    = 0.25
	screenTime = 0.075
)

func (r *replayer) goals() []goal {
	return slices.Concat(r.calm(), r.regressions(), r.noisy(), r.throughput(), r.tails(),
		r.unpaired())
}

func (r *replayer) forecasts(t outcome, from source) []goal {
	return []goal{
		atLeast("T1", "fresh pairs as forecast before the screening, "+from.name, 90, t.forecast,
			r.gates),
		atLeast("T1", "fresh pairs as forecast after the screening, "+from.name, 90, t.reforecast,
			r.gates)}
}

func (r *replayer) noisy() (goals []goal) {
	for _, c := range []struct {
		sd, found float64
	}{{0.02, 95}, {0.13, 80}} {
		from := white(c.sd)
		of := func(factor float64) outcome {
			return r.replay(experiment{options: r.options, from: from, factor: factor,
				layout: layoutEffect, builds: r.builds})
		}
		calm := of(1)
		goals = append(goals, r.forecasts(calm, from)...)
		goals = append(goals,
			atMost("F6", "unchanged code called worse, "+from.name, 1, calm.alarms, r.gates),
			atMost("F6", "unchanged code called better, "+from.name, 1, calm.falseBetter, r.gates),
			atLeast("P8", "+10 % found, "+from.name, c.found, of(1.10).found, regressed*r.gates),
			atLeast("P8", "−10 % called better, "+from.name, c.found, of(1/1.10).found,
				regressed*r.gates))
	}
	return goals
}

func (r *replayer) calm() (goals []goal) {
	for _, from := range r.traces.sources() {
		t := r.replay(experiment{options: r.options, from: from, factor: 1, builds: 1})
		screening := float64(t.screening) / float64(r.gates)
		fresh := float64(t.runs)/float64(r.gates) - screening
		goals = append(goals,
			atMost("F1", "unchanged code called worse, "+from.name, 0.5, t.alarms, r.gates),
			atMost("F5", "unchanged code called better, "+from.name, 1, t.falseBetter, r.gates),
			atMost("F1", "unchanged code inconclusive, "+from.name, 5, t.inconclusive, r.gates),
			goal{id: "W1", what: "measuring, 20 benchmarks of 0.25 s, " + from.name, wanted: 90,
				got: screenTime*screening + runTime*fresh, unit: "s",
				basis: fmt.Sprintf("%.1f runs each, and %.1f of 0.075 s", fresh/benchmarks,
					screening/benchmarks)})
		goals = append(goals, r.forecasts(t, from)...)
		detectable := math.Exp(t.detectable)
		at := r.replay(experiment{options: r.options, from: from, factor: detectable, builds: 1})
		goals = append(goals,
			atLeast("R1", fmt.Sprintf("%+.1f %% found, which the gate calls detectable, %s",
				100*(detectable-1), from.name), 80, at.found, regressed*r.gates))
	}
	for _, from := range r.traces.sources() {
		t := r.replay(experiment{options: r.options, from: from, factor: 1, layout: layoutEffect,
			builds: r.builds})
		goals = append(goals,
			atMost("F1", fmt.Sprintf("unchanged code called worse, layouts of %d builds, %s",
				r.builds, from.name), 1.5, t.alarms, r.gates))
	}
	return goals
}

func (r *replayer) regressions() (goals []goal) {
	for _, c := range []struct {
		id             string
		factor, layout float64
		wanted         float64
		noPromise      bool
	}{
		{"P1", 1.10, layoutEffect, 93, false},
		{"P2", 1.20, 0, 99, false},
		{"P3", 1.05, 0, 65, true},
		{"P7", 1 / 1.10, layoutEffect, 93, false},
	} {
		for _, from := range r.traces.sources() {
			what := fmt.Sprintf("%+.0f %% found, ", 100*(c.factor-1))
			if c.layout > 0 {
				what += fmt.Sprintf("layouts of %d builds, ", r.builds)
			}
			t := r.replay(experiment{options: r.options, from: from, factor: c.factor,
				layout: c.layout, builds: r.builds})
			g := atLeast(c.id, what+from.name, c.wanted, t.found, regressed*r.gates)
			g.noPromise = c.noPromise
			goals = append(goals, g)
		}
	}
	return goals
}

func (r *replayer) throughput() []goal {
	hits := func(factor float64) int {
		return r.count(func(rng *rand.Rand) (judge.Evidence, error) {
			return judge.Weigh(r.options, benchmarks, r.traces.throughputSample(10, factor, rng))
		}, r.options.Alpha/benchmarks)
	}
	return []goal{
		atLeast("P4", "throughput −10 % found in 10 pairs, one of 20 tests, lat.txt", 99,
			hits(0.90), r.draws),
		atMost("P4", "unchanged throughput called worse, one of 20 tests, lat.txt", 0.25,
			hits(1), r.draws),
	}
}

// tails returns the goals of the swap test. A margin would reduce its size below alpha.
func (r *replayer) tails() (goals []goal) {
	bare := r.options
	bare.Margin = 0
	hits := func(from latencySource, pairs int, factor float64) int {
		return r.count(func(rng *rand.Rand) (judge.Evidence, error) {
			s, err := tailSample(from, pairs, factor, rng)
			if err != nil {
				return judge.Evidence{}, err
			}
			o := bare
			o.Seed = rng.Uint64()
			return judge.Weigh(o, 1, s)
		}, bare.Alpha)
	}
	for _, from := range r.traces.longLatencySources() {
		goals = append(goals,
			atLeast("P5", "p99 +40 % in the tail found in 10 pairs, "+from.name, 90,
				hits(from, 10, 1.4), r.draws),
			atLeast("P5", "p99 +20 % in the tail found in 20 pairs, "+from.name, 85,
				hits(from, 20, 1.2), r.draws))
	}
	size := 100 * (bare.Alpha + 3*math.Sqrt(bare.Alpha*(1-bare.Alpha)/float64(r.draws)))
	for _, from := range r.traces.latencySources() {
		for _, pairs := range []int{6, 10, 20} {
			goals = append(goals,
				atMost("F3", fmt.Sprintf("unchanged p99 has p ≤ 0.05 in %d pairs, %s", pairs,
					from.name), size, hits(from, pairs, 1), r.draws))
		}
	}
	return goals
}

func (r *replayer) replay(e experiment) (sum outcome) {
	outcomes := make([]outcome, r.gates)
	r.each(r.gates, func(i int, rng *rand.Rand) error {
		var err error
		outcomes[i], err = e.gate(rng)
		return err
	})
	for _, o := range outcomes {
		sum.found += o.found
		sum.runs += o.runs
		sum.screening += o.screening
		sum.forecast += o.forecast
		sum.reforecast += o.reforecast
		sum.detectable += o.detectable / float64(len(outcomes))
		sum.alarms += o.alarms
		sum.falseBetter += o.falseBetter
		sum.inconclusive += o.inconclusive
	}
	return sum
}

func (r *replayer) count(draw func(rng *rand.Rand) (judge.Evidence, error), alpha float64) int {
	found := r.hits(r.draws, func(rng *rand.Rand) (hit [2]bool, err error) {
		e, err := draw(rng)
		return [2]bool{e.PWorse <= alpha}, err
	})
	return found[0]
}

func (r *replayer) hits(n int, draw func(rng *rand.Rand) ([2]bool, error)) (counts [2]int) {
	found := make([][2]bool, n)
	r.each(n, func(i int, rng *rand.Rand) (err error) {
		found[i], err = draw(rng)
		return err
	})
	for _, hit := range found {
		for which := range hit {
			if hit[which] {
				counts[which]++
			}
		}
	}
	return counts
}

// each calls f n times concurrently. The random numbers do not depend on the number of workers.
func (r *replayer) each(n int, f func(i int, rng *rand.Rand) error) {
	r.stream++
	stream := r.stream
	var all sync.WaitGroup
	for w := range r.workers {
		all.Go(func() {
			for i := w; i < n; i += r.workers {
				if err := f(i, rand.New(rand.NewPCG(r.seed, stream<<32|uint64(i)))); err != nil {
					panic(err)
				}
			}
		})
	}
	all.Wait()
}
