package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

func TestBackpressureVerdicts(t *testing.T) {
	study, err := Lookup("backpressure")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		blocked [3]float64 // goodput when blocking, by producer; shedding has 300
		want    decide.ClaimVerdict
		says    string
		advice  string // "": the study's advice
	}{
		"everywhere": {[3]float64{10, 90, 200}, decide.Holds,
			"shedding completes more tasks than blocking within 100 ms (×1.5 to " +
				"×30.1)", ""},
		"nowhere": {[3]float64{290, 299, 400}, decide.DoesNotHold,
			"shedding does not complete 5 % more tasks than blocking within 100 ms " +
				"(×0.752 to ×1.04)", ""},
		"not with clients": {[3]float64{10, 90, 300}, decide.Depends,
			"on the producer: it holds for load 1.3 (×30.1) and swinging load " +
				"(×3.34), not for 32 clients (×1)",
			"shed for load 1.3 and swinging load; for 32 clients it gains nothing"},
		"only with clients": {[3]float64{300, 300, 30}, decide.Depends,
			"on the producer: it holds for 32 clients (×10), not for load 1.3 " +
				"(×1) and swinging load (×1)",
			"shed for 32 clients; for load 1.3 and swinging load it gains nothing"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			goodput := 300.0 + float64(i)
			if sc.Strategy.String() == pooled {
				for j, p := range producers {
					if p.cell(pooled).Name() == sc.Name() {
						goodput = c.blocked[j]
					}
				}
			}
			return map[string]float64{"goodput-ops/s": goodput, "ops/s": 400, "shed/op": 0.1,
				"throttled/op": 0, "failed/op": 0, "abandoned/op": 0,
				"p99-response-sec": 0.08, "offered-ops/s": 500, "makespan-sec": 30}
		}
		cells := study.Cells(Quick)
		f := judgeAndDraw(t, synthetic(cells, 3, of), judgeBackpressure, study.Draw...)
		expect(t, name, f, c.want, c.says)
		if f.Advice != c.advice {
			t.Errorf("%s: the advice is %q, want %q", name, f.Advice, c.advice)
		}
		if f := judgeBackpressure(synthetic(cells[:8], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of worker_pool alone", name, f.Verdict)
		}
	}
}

func TestBackpressure(t *testing.T) {
	block, shed := pooled, shedding
	var cells []bench.Scenario
	for _, p := range producers {
		cells = append(cells, p.cell(block), p.cell(shed))
	}
	m := measureCells(t, cells...)
	if f := judgeBackpressure(m); f.Verdict != decide.Depends {
		t.Errorf("%v: %s", f.Verdict, f.Because)
	}
	for i := 0; i < len(cells); i += 2 {
		if lost := m.LostShare(cells[i]).Mid; lost != 0 {
			t.Errorf("%s: blocking loses %v", producers[i/2].name, lost)
		}
	}
	if blocked, refused := evidence.OfMean(m.Recovery(cells[0])).Mid,
		evidence.OfMean(m.Recovery(cells[1])).Mid; blocked < 10*refused {
		t.Errorf("blocking is behind for %v s, shedding for %v s", blocked, refused)
	}
}
