package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

func TestBreakerVerdicts(t *testing.T) {
	study, err := Lookup("breaker")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Quick)
	for name, c := range map[string]struct {
		late, vain func(trouble int) float64 // cost with a breaker ÷ cost without
		want       decide.ClaimVerdict
	}{
		"as claimed": {func(int) float64 { return 0.5 }, func(int) float64 { return 0.1 },
			decide.Holds},
		"the callee alone": {func(int) float64 { return 1 }, func(int) float64 { return 0.1 },
			decide.DoesNotHold},
		"the caller more": {func(int) float64 { return 0.2 }, func(int) float64 { return 0.5 },
			decide.DoesNotHold},
		"by the trouble": {func(i int) float64 { return 0.5 + float64(i) }, func(int) float64 {
			return 0.1
		}, decide.Depends},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			late, vain := 0.2+0.001*float64(i), 0.5
			for k, tr := range troubles {
				if tr.cell(breakerPart).Name() == sc.Name() {
					late, vain = late*c.late(k), vain*c.vain(k)
				}
			}
			n := float64(sc.Stop.Tasks)
			return map[string]float64{"ops/s": 100, "goodput-ops/s": 100, "shed/op": late,
				"throttled/op": 0, "failed/op": 0, "abandoned/op": 0, "max-response-sec": 2,
				"admitted-calls": n * (1 - late), "refused-calls": n * vain, "abandoned-calls": 0}
		}
		f := judgeAndDraw(t, synthetic(cells, 3, of), judgeBreaker, drawBreaker)
		if f.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", name, f.Verdict, f.Because, c.want)
		}
		if f := judgeBreaker(synthetic(cells[:1], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v without a breaker", name, f.Verdict)
		}
	}
}

func TestBreaker(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	var cells []bench.Scenario
	var results []*bench.Result
	for _, tr := range troubles {
		for _, part := range []string{"", breakerPart} {
			cells = append(cells, tr.cell(part))
			results = append(results, runOnce(t, tr.cell(part)))
		}
	}
	m := evidence.FromResults(results)
	of := func(i int, number func(evidence.Run) float64) float64 {
		return evidence.OfMean(m.Numbers(cells[i], number)).Mid
	}
	for i, c := range []struct{ late, vain float64 }{{0.55, 0.3}, {0.5, 0.05}, {1.1, 0.05},
		{1.6, 0.2}} { // upper bounds of cost with a breaker ÷ cost without
		tr := troubles[i]
		late := of(2*i+1, lateShare) / of(2*i, lateShare)
		vain := of(2*i+1, tr.inVain) / of(2*i, tr.inVain)
		if late > c.late || vain > c.vain || (c.late > 1) != (late > 1) {
			t.Errorf("%s: %v times the tasks that are late or lost, %v times the calls in vain",
				tr.name, late, vain)
		}
	}
	// Each call to a frozen service uses a slot for 200 ms. A breaker lets the calls pass that open
	// it, and then four per second.
	if calls := of(0, troubles[0].inVain) * float64(troubles[0].tasks); calls < 190 || calls > 210 {
		t.Errorf("without a breaker %v calls come to nothing, want 4 × 10 s ÷ 200 ms", calls)
	}
	if calls := of(1, troubles[0].inVain) * float64(troubles[0].tasks); calls < 30 || calls > 70 {
		t.Errorf("with a breaker %v calls come to nothing, want 10 to open it, and 4 a second", calls)
	}
}
