package studies

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

func TestFindingNamesInvalidRuns(t *testing.T) {
	study, err := Lookup("real_waits")
	if err != nil {
		t.Fatal(err)
	}
	var results []*bench.Result
	for _, sc := range study.Cells(Quick) {
		results = append(results, &bench.Result{Name: sc.Name(), Seed: 1,
			Metrics: []result.Metric{{Unit: "verdict", Value: float64(result.Invalid)}},
			Verdict: result.Invalid,
			Reasons: []result.Reason{{Verdict: result.Invalid, Check: "steal",
				Text: "the machine was busy"}}})
	}
	f := study.Find(results)
	if want := "; 3 of 3 runs are INVALID and omitted (steal: the machine was busy)"; f.Verdict != decide.ClaimUndecided || !strings.HasSuffix(f.Because, want) {
		t.Errorf("%v: %q, want it to end in %q", f.Verdict, f.Because, want)
	}
}

// Repetitions are paired by seed. A duplicate of a virtual run must not count.
func TestPairedBySeed(t *testing.T) {
	cells := loadSweep(Quick, "worker_pool", "semaphore")[:2]
	m := evidence.FromResults(nil)
	put := func(sc bench.Scenario, seed uint64, value float64) {
		m.Add(sc.Name(), evidence.Repetition{Seed: seed, Tasks: 1,
			Metric: func(unit string) (float64, bool) {
				return map[string]float64{"x": value}[unit], unit == "x"
			}})
	}
	put(cells[0], 1, 10)
	put(cells[0], 2, 20)
	put(cells[0], 2, 20)
	put(cells[1], 2, 2) // repetition 1 is missing
	if in := m.Ratio(cells[0], cells[1], "x"); math.Abs(in.Mid-10) > 1e-9 || !math.IsNaN(in.Lo) {
		t.Errorf("the ratio is %v, want that of seed 2, 10", in)
	}
	if n := len(m.Runs(cells[0])); n != 2 {
		t.Errorf("%d runs of 2 seeds", n)
	}
	real := cells[0]
	real.Clock = bench.Real
	put(real, 1, 1)
	put(real, 1, 2)
	if n := len(m.Runs(real)); n != 2 {
		t.Errorf("%d of 2 runs under the real clock", n)
	}
}
