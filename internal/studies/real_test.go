package studies

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func TestRealVerdicts(t *testing.T) {
	for _, name := range []string{"real_waits", "real_computing"} {
		study, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, c := range map[string]struct {
			over func(strategy string, i int) float64
			done float64 // of what comes
			want Verdict
		}{
			"as the oracle":       {func(string, int) float64 { return 0.02 }, 1, Holds},
			"one disturbed":       {func(_ string, i int) float64 { return []float64{0.02, 5, 0.03}[i] }, 1, Holds},
			"all longer":          {func(_ string, i int) float64 { return 2 + float64(i) }, 0.9, DoesNotHold},
			"one strategy longer": {func(s string, _ int) float64 { return map[bool]float64{true: 1}[s == "semaphore"] }, 1, Depends},
			"now and then":        {func(_ string, i int) float64 { return []float64{0.02, 5, 0.3}[i] }, 1, Undecided},
			"too much work":       {func(string, int) float64 { return 2 }, 0.7, Undecided},
		} {
			of := func(sc bench.Scenario, i int) map[string]float64 {
				const service, oracle = 0.01, 0.004
				return map[string]float64{"mean-wait-sec": oracle + service*c.over(sc.Strategy.String(), i), "oracle-mean-wait-sec": oracle, "mean-service-sec": service,
					"ops/s": 100 * c.done, "offered-ops/s": 100, "shed/op": 0, "cpu-others": 0.3}
			}
			for size := Quick; size <= Standard; size++ {
				f := wellSaid(t, synthetic(study.Cells(size), 3, of), study.Judge, study.Draw)
				if f.Verdict != c.want {
					t.Errorf("%s, %s: %v, want %v (%s)", name, what, f.Verdict, c.want, f.Because)
				}
				if !strings.Contains(fmt.Sprint(f.Lines), "other programs took up to 30 %") {
					t.Errorf("%s, %s does not say what else ran: %q", name, what, f.Lines)
				}
			}
		}
	}
}

// TestRealSteady: what is refused is done with; what has no steady state is left out, and so is not drawn.
func TestRealSteady(t *testing.T) {
	study, err := Lookup("real_waits")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Standard)
	m := synthetic(cells, 1, func(sc bench.Scenario, _ int) map[string]float64 {
		of := map[string]float64{"mean-wait-sec": 0.002, "oracle-mean-wait-sec": 0.001, "mean-service-sec": 0.01, "ops/s": 50, "offered-ops/s": 100, "shed/op": 0}
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
		return map[string]float64{"mean-wait-sec": 0.002, "oracle-mean-wait-sec": 0.001, "mean-service-sec": 0.01, "ops/s": 50, "offered-ops/s": 100, "shed/op": 0}
	})
	if figures, err := study.Draw(m); len(figures) > 0 || !empty(err) {
		t.Errorf("%d figures of runs without a steady state, %v", len(figures), err)
	}
}
