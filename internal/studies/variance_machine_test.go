package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// The results must match the load and the scheduler factor of the synthetic runs. Repetitions
// without a steady state are omitted and counted.
func TestMachine(t *testing.T) {
	const load, factor = 0.8, 1.5
	// exponent of 1/(1−ρ)
	inSteps := map[string]float64{pooled: 1, inFifths: 1.2, separate: 0.6}
	at := func(sc bench.Scenario, load float64) float64 {
		return math.Pow(1-load, -inSteps[sc.Strategy.String()])
	}
	measuredAt := func(busy float64) *evidence.Measured {
		return synthetic(machineCells(Standard), 6,
			func(sc bench.Scenario, i int) map[string]float64 {
				slow, used := at(sc, sc.Load.Relative), sc.Load.Relative
				if sc.Clock == bench.Real {
					slow, used = factor*at(sc, load), load
					if i == 3 {
						slow, used = 1000, busy
					}
				}
				return map[string]float64{"mean-slowdown": slow, "mean-response-sec": slow,
					"mean-service-sec": 1, "offered-utilisation": used, "service-c2": 9}
			})
	}
	m := measuredAt(1.2)
	for _, c := range machineCases {
		for _, strategy := range c.strategies {
			s := c.result(m, strategy)
			for _, v := range []struct{ got, want float64 }{
				{s.load.Mid, load}, {s.excess.Mid, factor}, {s.excess.Hi, factor},
				{s.planned.Mid, at(c.real(strategy), c.load)},
				{s.virtualAtLoad.Mid, at(c.real(strategy), load)},
				{float64(s.steadyRuns), 5}, {float64(s.all), 6},
			} {
				if math.Abs(v.got-v.want) > 1e-9 {
					t.Errorf("%s, %s: %v, want %v of %+v", c.title, strategy, v.got, v.want, s)
				}
			}
		}
	}
	answer := strings.Join(linesOf(answerMachine, m), "\n")
	for _, want := range []string{
		"left out without a steady state: 1 of 6 repetitions of worker_pool",
		"at the load of 0.8 that it came to here; the scheduler and other programs multiply that " +
			"by 1.5",
		"partitioned:quantum=200us has 1.38 times the shared pool's slowdown, and 1.2 times " +
			"under the virtual clock: the same strategy is better",
		"segregated has 0.525 times the shared pool's slowdown, and 0.758 times under the " +
			"virtual clock: the same strategy is better",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q:\n%s", want, answer)
		}
	}
}

func TestStepCost(t *testing.T) {
	with := func(step float64) *evidence.Measured {
		return synthetic(stepCells(Quick), 3, func(sc bench.Scenario, i int) map[string]float64 {
			took := stepTask.Seconds()
			if sc.Strategy.String() == stepInSteps {
				took += step * 500
			}
			if i == 1 {
				took *= 3 // the machine was busy
			}
			return map[string]float64{"ops/s": 1 / took}
		})
	}
	m := with(300e-9)
	if cost := stepCost(m); math.Abs(cost-300e-9) > 1e-15 {
		t.Errorf("a step costs %v, want 300 ns", cost)
	}
	want := "a step of partitioned costs 300 ns on this machine, for short tasks 0.03 % of 1 ms, " +
		"0.3 % of 100 µs and 3 % of 10 µs; at load 0.8 steps below 1.2 µs leave no steady state"
	if lines := linesOf(answerStep, m); !slices.Equal(lines, []string{want}) {
		t.Errorf("%q, want %q", lines, want)
	}
	if lines := linesOf(answerStep, with(-1e-9)); len(lines) > 0 {
		t.Errorf("steps that cost less than nothing: %q", lines)
	}
}
