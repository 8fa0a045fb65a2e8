package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
)

func TestPatienceVerdicts(t *testing.T) {
	study, err := Lookup("patience")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		waiting [3]float64 // goodput with waiting callers, by case; with shedding it is 400
		want    decide.ClaimVerdict
		says    string
	}{
		"everywhere": {[3]float64{399, 400, 401}, decide.Holds,
			"a pool whose callers wait and give up completes as many tasks as shedding does at " +
				"load 1.3, within 5 % (×0.995 to ×1)"},
		"nowhere": {[3]float64{100, 200, 300}, decide.DoesNotHold,
			"a pool whose callers wait and give up does not complete as many tasks as shedding " +
				"does at load 1.3, within 5 % (×0.249 to ×0.748)"},
		"not with equal tasks": {[3]float64{180, 400, 400}, decide.Depends,
			"on the tasks and timeouts: it holds for exponential tasks and equal timeouts " +
				"(×0.998) and exponential tasks and timeouts (×0.998), not for equal tasks and " +
				"timeouts (×0.449)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			goodput := 400.0 + float64(i)
			for j, p := range patienceCases {
				if p.cell(pooled, patienceLoad).Name() == sc.Name() {
					goodput = c.waiting[j]
				}
			}
			return map[string]float64{"goodput-ops/s": goodput, "ops/s": goodput, "shed/op": 0.1,
				"throttled/op": 0, "failed/op": 0, "abandoned/op": 0, "gave-up/op": 0.1,
				"wasted-service/op": 0.3, "offered-ops/s": 500}
		}
		cells := study.Cells(Quick)
		f := judgeAndDraw(t, synthetic(cells, 3, of), judgePatience, study.Draw...)
		expect(t, name, f, c.want, c.says)
		if f := judgePatience(synthetic(cells[:8], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of worker_pool alone", name, f.Verdict)
		}
	}
}

// With equal tasks and timeouts under overload, a pool whose callers wait wastes half of its time.
// A pool that sheds wastes no time.
func TestPatience(t *testing.T) {
	var cells []bench.Scenario
	for _, c := range patienceCases {
		cells = append(cells, c.cell(pooled, patienceLoad), c.cell(shedding, patienceLoad))
	}
	m := measureCells(t, cells...)
	for i, c := range patienceCases {
		kept := m.Ratio(cells[2*i], cells[2*i+1], metric.Goodput).Mid
		if equal := i == 0; equal != (kept < 0.6) || equal != (kept < 0.9) {
			t.Errorf("%s: waiting completes %v times as many as shedding", c.name, kept)
		}
	}
	waiting, refusing := m.Mean(cells[0], metric.WastedService), m.Mean(cells[1], metric.WastedService)
	if waiting.Mid < 0.4 || refusing.Mid > 0.01 {
		t.Errorf("waiting wastes %v, shedding %v", waiting, refusing)
	}
}
