package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/reports/charts"
)

func TestThrottleVerdicts(t *testing.T) {
	cells := throttleSweep(Quick, familiar...)
	for name, c := range map[string]struct {
		with func(sc bench.Scenario) float64 // share throttled in a pool; without it half is
		want decide.ClaimVerdict
		says string
	}{
		"nearly all is taken away": {func(bench.Scenario) float64 { return 0.05 }, decide.Holds,
			"4 workers avoid most of the throttling (90 %)"},
		"hardly anything": {func(bench.Scenario) float64 { return 0.46 }, decide.DoesNotHold,
			"a limit on concurrency does not limit a rate: 4 workers avoid less " +
				"than a tenth of the throttling (8 %)"},
		"of bulks": {func(sc bench.Scenario) float64 {
			return map[bool]float64{true: 0.4, false: 0.5}[sc.Load.Arrival.String() != "poisson"]
		}, decide.Depends,
			"on the arrivals: it holds partly for bulks at 200/s (20 %), bulks at " +
				"290/s (20 %) and bulks at 380/s (20 %), not for Poisson at 200/s (0 " +
				"%), Poisson at 290/s (0 %) and Poisson at 380/s (0 %)"},
	} {
		of := func(sc bench.Scenario, _ int) map[string]float64 {
			if sc.Strategy.String() == "unbounded" {
				return map[string]float64{"throttled/op": 0.5}
			}
			return map[string]float64{"throttled/op": c.with(sc)}
		}
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeThrottle, drawThrottle), c.want,
			c.says)
		if f := judgeThrottle(synthetic(throttleSweep(Quick, pooled), 3,
			of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without %s", name, f.Verdict, "unbounded")
		}
	}
	if f := judgeThrottle(synthetic(cells, 3,
		func(bench.Scenario, int) map[string]float64 {
			return map[string]float64{"throttled/op": 0.005}
		})); f.Verdict != decide.ClaimUndecided {
		t.Errorf("where nothing is throttled to speak of: %v", f.Verdict)
	}
}

func TestThrottle(t *testing.T) {
	free, pool := throttleSweep(Quick, "unbounded"),
		throttleSweep(Quick, pooled)
	var cells []bench.Scenario
	for _, of := range [][]bench.Scenario{free, pool} {
		for _, sc := range of {
			if sc.Load.PerSecond == throttleRates[2] {
				sc.Stop.Tasks = 4000
				cells = append(cells, sc)
			}
		}
	}
	m := measureCells(t, cells...)
	for i := range len(cells) / 2 {
		without, with := m.Mean(cells[i], "throttled/op").Mid,
			m.Mean(cells[len(cells)/2+i], "throttled/op").Mid
		exact := throttleFree(i, charts.Series{}).Y
		switch least := exact[len(exact)-1]; {
		case i == 0 && (without < 0.9*least || with < 0.9*without):
			// Random variation is a few percent in 4000 tasks.
			t.Errorf("Poisson arrivals: %v throttled without a bound, %v with one, %v at least",
				without, with, least)
		case i == 1 && (without != least || with >= without):
			t.Errorf("bulks: %v throttled without a bound, %v with one; want %v and less",
				without, with, least)
		}
	}
}
