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
			"shedding completes more tasks within 100 ms than blocking: 30.1 (29.9 to 30.3) " +
				"times as many at load 1.3, 3.34 (3.32 to 3.37) times as many under a swinging " +
				"load and 1.5 (1.49 to 1.52) times as many with 32 clients", ""},
		"nowhere": {[3]float64{290, 299, 400}, decide.DoesNotHold,
			"shedding does not complete 5 % more tasks within 100 ms than blocking: 1.04 (1.03 " +
				"to 1.05) times as many at load 1.3, 1.01 (0.998 to 1.02) times as many under a " +
				"swinging load and 0.752 (0.746 to 0.759) times as many with 32 clients", ""},
		"not with clients": {[3]float64{10, 90, 300}, decide.Depends,
			"on the producer: shedding completes more tasks within 100 ms than blocking, 30.1 " +
				"(29.9 to 30.3) times as many at load 1.3 and 3.34 (3.32 to 3.37) times as " +
				"many under a swinging load, but 1 (0.995 to 1.01) times as many with 32 clients",
			"shed at load 1.3 and under a swinging load; with 32 clients it gains nothing"},
		"only with clients": {[3]float64{300, 300, 30}, decide.Depends,
			"on the producer: shedding completes more tasks within 100 ms than blocking, 10 " +
				"(9.95 to 10.1) times as many with 32 clients, but 1 (0.995 to 1.01) times as " +
				"many at load 1.3 and 1 (0.995 to 1.01) times as many under a swinging load",
			"shed with 32 clients; at load 1.3 and under a swinging load it gains nothing"},
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
		f := wellSaid(t, synthetic(cells, 3, of), judgeBackpressure, study.Draw...)
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
