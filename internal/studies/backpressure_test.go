package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func TestBackpressureVerdicts(t *testing.T) {
	study, err := Lookup("backpressure")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		blocked [3]float64 // goodput of what blocks, by producer; of what sheds it is 300
		want    Verdict
	}{
		"everywhere":        {[3]float64{10, 90, 200}, Holds},
		"nowhere":           {[3]float64{290, 299, 400}, DoesNotHold},
		"not with clients":  {[3]float64{10, 90, 300}, Depends},
		"only with clients": {[3]float64{300, 300, 30}, Depends},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			goodput := 300.0 + float64(i)
			if sc.Strategy.String() == pooled {
				for j, p := range producers {
					if p.cell(sc.Strategy).Name() == sc.Name() {
						goodput = c.blocked[j]
					}
				}
			}
			return map[string]float64{"goodput-ops/s": goodput, "ops/s": 400, "shed/op": 0.1, "throttled/op": 0, "failed/op": 0, "abandoned/op": 0,
				"p99-response-sec": 0.08, "offered-ops/s": 500, "makespan-sec": 30}
		}
		cells := study.Cells(Quick)
		if f := wellSaid(t, synthetic(cells, 3, of), judgeBackpressure, study.Draw); f.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%s)", name, f.Verdict, c.want, f.Because)
		}
		if f := judgeBackpressure(synthetic(cells[:8], 3, of)); f.Verdict != Undecided {
			t.Errorf("%s: %v of worker_pool alone", name, f.Verdict)
		}
	}
}

// TestBackpressure runs what the study says: a producer that heeds nothing is late with all when it is made to wait, and long after; clients that wait lose
// nothing by it.
func TestBackpressure(t *testing.T) {
	block, shed := strategy(pooled)[0], strategy(shedding)[0]
	var cells []bench.Scenario
	for _, p := range producers {
		cells = append(cells, p.cell(block), p.cell(shed))
	}
	m := measureCells(t, cells...)
	if f := judgeBackpressure(m); f.Verdict != Depends {
		t.Errorf("%v: %s", f.Verdict, f.Because)
	}
	for i := 0; i < len(cells); i += 2 {
		if lost := lostShare(m, cells[i]).mid; lost != 0 {
			t.Errorf("%s: blocking loses %v", producers[i/2].name, lost)
		}
	}
	if blocked, refused := ofMean(recovery(m, cells[0])).mid, ofMean(recovery(m, cells[1])).mid; blocked < 10*refused {
		t.Errorf("blocking is behind for %v s, shedding for %v s", blocked, refused)
	}
}
