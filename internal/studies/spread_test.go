package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/reports/charts"
)

func TestSpreadVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		lost float64 // lost share of the throughput at the highest variance
		want decide.ClaimVerdict
		says string
	}{
		"nothing lost": {0, decide.DoesNotHold,
			"at load 0.75, task times of C² = 64 lower the throughput of " +
				"worker_pool by less than 5 % (0 %)"},
		"a little": {0.04, decide.DoesNotHold,
			"at load 0.75, task times of C² = 64 lower the throughput of " +
				"worker_pool by less than 5 % (4 %)"},
		"a lot": {0.06, decide.Holds,
			"at load 0.75, task times of C² = 64 lower the throughput of " +
				"worker_pool by more than 5 % (6 %)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			done := 1.0
			if sc.Workload.String() == workload(spreadWork[len(spreadWork)-1])[0].String() {
				done -= c.lost
			}
			return map[string]float64{"p99-response-sec": 0.1 + 0.01*float64(i),
				"mean-wait-sec": 0.01, "shed/op": 0.2, "offered-ops/s": 300 + float64(i),
				"ops/s": done * (300 + float64(i))}
		}
		cells := spreadSweep(Quick, familiar...)
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeSpread, drawSpread), c.want,
			c.says)
		if f := judgeSpread(synthetic(cells[:1], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of unbounded alone", name, f.Verdict)
		}
	}
}

// The band must start and end at the points, and is lowest for tasks of equal length.
func TestSpreadTheory(t *testing.T) {
	series := spreadExact(charts.Series{})
	dot, line := series[0], series[1]
	last := len(line.X) - 1
	if len(dot.X) != 1 || dot.X[0] != 0 || line.X[0] != 1 ||
		math.Abs(line.X[last]-spreadC2[len(spreadC2)-1]) > 1e-9 {
		t.Errorf("the dot is at %v, the line from %v to %v", dot.X, line.X[0], line.X[last])
	}
	if dot.Y[0] >= line.Y[0] || line.Y[0] >= line.Y[last] {
		t.Errorf("a p99 of %v at C² = 0, %v at 1 and %v at %v", dot.Y[0], line.Y[0],
			line.Y[last], line.X[last])
	}
}

func TestSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	cells := spreadSweep(Quick, pooled)
	one, wide := cells[0], cells[2]
	m := measureCells(t, one, wide)
	if a, b := m.Mean(one, "mean-wait-sec").Mid, m.Mean(wide, "mean-wait-sec").Mid; b < 2*a {
		t.Errorf("a mean wait of %v at C² = 0, of %v at 4", a, b)
	}
	if a, b := evidence.OfMean(m.Numbers(one, completed)).Mid,
		evidence.OfMean(m.Numbers(wide, completed)).Mid; b < 0.98*a {
		t.Errorf("%v of what arrives completes at C² = 0, %v at 4", a, b)
	}
}
