package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// TestMachine: what a machine adds is found as it was put in: a load higher than planned, and a factor of the scheduler's; repetitions without a
// steady state are left out and counted.
func TestMachine(t *testing.T) {
	const load, factor = 0.8, 1.5
	inSteps := map[string]float64{pooled: 1, inFifths: 1.2, separate: 0.6} // the exponent of 1/(1−ρ)
	at := func(sc bench.Scenario, load float64) float64 {
		return math.Pow(1-load, -inSteps[sc.Strategy.String()])
	}
	measuredAt := func(busy float64) *measured {
		return synthetic(machineCells(Standard), 6, func(sc bench.Scenario, i int) map[string]float64 {
			slow, used := at(sc, sc.Load.Relative), sc.Load.Relative
			if sc.Clock == bench.Real {
				slow, used = factor*at(sc, load), load
				if i == 3 {
					slow, used = 1000, busy
				}
			}
			return map[string]float64{"mean-slowdown": slow, "mean-response-sec": slow, "mean-service-sec": 1, "offered-utilisation": used, "service-c2": 9}
		})
	}
	m := measuredAt(1.2)
	for _, c := range machineCases {
		for _, strategy := range c.strategies {
			s := c.of(m, strategy)
			for _, v := range []struct{ got, want float64 }{
				{s.load.mid, load}, {s.adds.mid, factor}, {s.adds.hi, factor}, {s.planned.mid, at(c.real(strategy), c.load)}, {s.same.mid, at(c.real(strategy), load)},
				{float64(s.steady), 5}, {float64(s.all), 6},
			} {
				if math.Abs(v.got-v.want) > 1e-9 {
					t.Errorf("%s, %s: %v, want %v of %+v", c.title, strategy, v.got, v.want, s)
				}
			}
		}
	}
	answer := strings.Join(answerMachine(m), "\n")
	for _, want := range []string{
		"in 1 of 6 repetitions the work of worker_pool took so long", "at the 0.8 that the machine made of it; the scheduler, and what else ran, make it 1.5 (1.5 to 1.5) times that",
		"partitioned:quantum=200us has 1.38 (1.38 to 1.38) times the shared pool's slowdown, its twin 1.2: which is the better of them survives",
		"segregated has 0.525 (0.525 to 0.525) times the shared pool's slowdown, its twin 0.758: which is the better of them survives",
		"C² of the task times was 9, that of the twin is 4.51",
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer does not say %q:\n%s", want, answer)
		}
	}
}

// TestStepCost: the cost of a step is what its tasks take longer over their steps, and no number where they do not.
func TestStepCost(t *testing.T) {
	with := func(step float64) *measured {
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
	want := "a step of partitioned costs 300 ns on this machine, in short tasks 0.0003 of 1 ms, 0.003 of 100 µs and 0.03 of 10 µs; at a load of 0.8 there is a steady state with steps of more than 1.2 µs"
	if lines := answerStep(m); !slices.Equal(lines, []string{want}) {
		t.Errorf("%q, want %q", lines, want)
	}
	if lines := answerStep(with(-1e-9)); len(lines) > 0 {
		t.Errorf("steps that cost less than nothing: %q", lines)
	}
}
