package studies

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestRealVerdicts(t *testing.T) {
	for _, name := range []string{"real_waits", "real_computing"} {
		study, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			over func(strategy string, i int) float64
			done float64 // share of the arrivals completed
			want decide.ClaimVerdict
			says string
		}{
			"as the oracle": {func(string, int) float64 { return 0.02 }, 1, decide.Holds,
				"the mean wait exceeds an ideal queue's by at most 0.1 mean services " +
					"(0.02)"},
			"one disturbed": {func(_ string, i int) float64 { return []float64{0.02, 5, 0.03}[i] },
				1, decide.ClaimUndecided,
				"the repetitions vary too much to decide whether the mean wait exceeds " +
					"an ideal queue's by more than 0.1 mean services: worker_pool at load " +
					"0.8 (1.68), semaphore at load 0.8 (1.68) and errgroup_limit at load " +
					"0.8 (1.68)"},
			"all longer": {func(_ string, i int) float64 { return 2 + float64(i) },
				0.9, decide.DoesNotHold,
				"the mean wait exceeds an ideal queue's by more than 0.1 mean services " +
					"(3)"},
			"one strategy longer": {func(s string,
				_ int) float64 {
				return map[bool]float64{true: 1}[s == "semaphore"]
			}, 1, decide.Depends,
				"on strategy and load: it holds for worker_pool at load 0.8 (0) and " +
					"errgroup_limit at load 0.8 (0), not for semaphore at load 0.8 (1)"},
			"now and then": {func(_ string, i int) float64 { return []float64{0.02, 5, 0.3}[i] }, 1,
				decide.ClaimUndecided,
				"the repetitions vary too much to decide whether the mean wait exceeds " +
					"an ideal queue's by more than 0.1 mean services: worker_pool at load " +
					"0.8 (1.77), semaphore at load 0.8 (1.77) and errgroup_limit at load " +
					"0.8 (1.77)"},
			"too much work": {func(string, int) float64 { return 2 }, 0.7, decide.ClaimUndecided,
				"3 of 3 scenarios were not run or fell behind in every repetition; 0 of 9 " +
					"repetitions had a steady state"},
		} {
			of := func(sc bench.Scenario, i int) map[string]float64 {
				const service, oracle = 0.01, 0.004
				return map[string]float64{"mean-wait-sec": oracle +
					service*c.over(sc.Strategy.String(), i), "oracle-mean-wait-sec": oracle,
					"mean-service-sec": service,
					"ops/s":            100 * c.done, "offered-ops/s": 100, "shed/op": 0,
					"cpu-others": 0.3}
			}
			for size := Quick; size <= Standard; size++ {
				f := judgeAndDraw(t, synthetic(study.Cells(size), 3, of), study.Judge, study.Draw...)
				if size == Quick && name == "real_waits" {
					expect(t, what, f, c.want, c.says)
				} else if f.Verdict != c.want {
					t.Errorf("%s, %s: %v, want %v (%s)", name, what, f.Verdict, c.want, f.Because)
				}
				if !strings.Contains(fmt.Sprint(f.Lines), "other programs used up to 30 %") {
					t.Errorf("%s, %s does not say what else ran: %q", name, what, f.Lines)
				}
			}
		}
	}
}

// Refused tasks count as completed.
func TestRealSteady(t *testing.T) {
	study, err := Lookup("real_waits")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Standard)
	m := synthetic(cells, 1, func(sc bench.Scenario, _ int) map[string]float64 {
		of := map[string]float64{"mean-wait-sec": 0.002, "oracle-mean-wait-sec": 0.001,
			"mean-service-sec": 0.01, "ops/s": 50, "offered-ops/s": 100, "shed/op": 0}
		if sc.Strategy.String() == shedding {
			of["shed/op"] = 0.5
		}
		return of
	})
	for _, sc := range cells {
		if got, want := len(realWaits(m, sc)) > 0, sc.Strategy.String() == shedding; got != want {
			t.Errorf("%s: taken %v", sc.Name(), got)
		}
	}
	m = synthetic(cells, 1, func(bench.Scenario, int) map[string]float64 {
		return map[string]float64{"mean-wait-sec": 0.002, "oracle-mean-wait-sec": 0.001,
			"mean-service-sec": 0.01, "ops/s": 50, "offered-ops/s": 100, "shed/op": 0}
	})
	if figures, err := study.figures(m); len(figures) > 0 || err != nil {
		t.Errorf("%d figures of runs without a steady state, %v", len(figures), err)
	}
}
