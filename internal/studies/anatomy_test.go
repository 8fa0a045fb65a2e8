package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestAnatomyVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		waits func(bench.Scenario) float64
		want  decide.ClaimVerdict
		says  string
	}{
		"all": {func(bench.Scenario) float64 { return 0.8 }, decide.Holds,
			"waiting for a slot is at least half of the slowest responses (80 %)"},
		"none": {func(bench.Scenario) float64 { return 0.2 }, decide.DoesNotHold,
			"waiting for a slot is less than half of the slowest responses (20 %)"},
		"one not": {func(sc bench.Scenario) float64 {
			if sc.Strategy.Spec.Name == "codel_lifo" {
				return 0.1
			}
			return 0.9
		}, decide.Depends, "on how the strategy treats waiting tasks: it holds for worker_pool at " +
			"load 0.9 (90 %), worker_pool at load 1.3 (90 %), bounded_queue_shed at load 0.9 (90 %) " +
			"and 7 more, not for codel_lifo at load 0.9 (10 %) and codel_lifo at load 1.3 (10 %)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			waited := c.waits(sc)
			return map[string]float64{"tail-blocked/op": waited / 4, "tail-queued/op": waited * 3 / 4,
				"tail-between/op": 0, "tail-service/op": 1 - waited, "p99-response-sec": 1}
		}
		var cells []bench.Scenario
		for _, name := range anatomyStrategies {
			cells = append(cells, anatomyCells(Quick, name)...)
		}
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeAnatomy, drawAnatomy), c.want,
			c.says)
		if f := judgeAnatomy(synthetic(cells[:3], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without all strategies", name, f.Verdict)
		}
	}
}

func TestAnatomy(t *testing.T) {
	pool, drops := anatomyCell(Quick, "worker_pool", 1.3), anatomyCell(Quick, "codel_lifo", 1.3)
	m := measureCells(t, pool, drops)
	for _, sc := range []bench.Scenario{pool, drops} {
		sum := m.Mean(sc, "tail-lag/op").Mid
		for _, p := range anatomyParts {
			sum += m.Mean(sc, p.unit).Mid
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: the parts are %v of the response", sc.Strategy, sum)
		}
	}
	waits := func(sc bench.Scenario) float64 {
		return m.Mean(sc, "tail-blocked/op").Mid + m.Mean(sc, "tail-queued/op").Mid
	}
	if w := waits(pool); w < 0.9 {
		t.Errorf("tasks of an overloaded pool wait for %v of their response", w)
	}
	if w := waits(drops); w > 0.5 {
		t.Errorf("tasks of a pool that drops what has waited wait for %v of theirs", w)
	}
}
