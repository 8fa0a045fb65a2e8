package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

func TestShutdownVerdicts(t *testing.T) {
	study, err := Lookup("shutdown")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		saved func(sc bench.Scenario) float64 // share saved by the deadline of the verdict
		want  decide.ClaimVerdict
		says  string
	}{
		"all": {func(bench.Scenario) float64 { return 1 }, decide.Holds,
			"300 ms to drain save nearly all tasks (100 %)"},
		"little": {func(bench.Scenario) float64 { return 0.25 }, decide.DoesNotHold,
			"300 ms to drain save less than half of the tasks (25 %)"},
		"half": {func(bench.Scenario) float64 { return 0.5 }, decide.Depends,
			"on how many tasks the pool holds: it holds partly for load 0.8 (50 " +
				"%), load 1.3, queue of 16 that sheds (50 %), load 1.3, queue of 1000 " +
				"(50 %) and 500 tasks at once (50 %)"},
		"short lines": {func(sc bench.Scenario) float64 {
			return map[bool]float64{true: 1, false: 0.1}[sc.Queue < 100]
		}, decide.Depends,
			"on how many tasks the pool holds: it holds for load 1.3, queue of 16 " +
				"that sheds (100 %), not for load 0.8 (10 %), load 1.3, queue of 1000 " +
				"(10 %) and 500 tasks at once (10 %)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			lost := 0.2 * (1 - c.saved(sc))
			switch {
			case sc.Drain < shutdownDeadline:
				lost = 0.2
			case sc.Drain > shutdownDeadline:
				lost = 0
			}
			return map[string]float64{"abandoned/op": lost, "shed/op": 0, "offered-ops/s": 500,
				"makespan-sec": 5 + float64(i)}
		}
		cells := study.Cells(Quick)
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgeShutdown, drawShutdown), c.want,
			c.says)
		if f := judgeShutdown(synthetic(cells[:2], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of two scenarios", name, f.Verdict)
		}
	}
}

func TestShutdown(t *testing.T) {
	all := shutdownCases[3]
	now, soon, late := all.cell(minDeadline), all.cell(shutdownDeadline),
		all.cell(shutdownDeadlines[len(shutdownDeadlines)-1])
	blocks := shutdownOther("semaphore")
	blocks.Drain = minDeadline
	m := measureCells(t, now, soon, late, blocks)
	if got := abandonedTasks(m, now).Mid; got != shutdownBatch {
		t.Errorf("with no time %v of %d tasks are abandoned", got, shutdownBatch)
	}
	if got := abandonedTasks(m, late).Mid; got != 0 {
		t.Errorf("with time for all %v tasks are abandoned", got)
	}
	if got := m.Mean(soon, "makespan-sec").Mid; got != shutdownDeadline.Seconds() {
		t.Errorf("the end takes %v s, where the deadline is %v", got, shutdownDeadline)
	}
	if got := abandonedTasks(m, blocks).Mid; got < 1 || got > limit {
		t.Errorf("semaphore abandons %v tasks, and its limit is %d", got, limit)
	}
}

// With as many workers as tasks, the tasks end at independent exponential times. The completions of
// a single worker are a Poisson process.
func TestBatchLeft(t *testing.T) {
	for _, at := range []float64{0, 0.1, 1, 5} {
		if got, want := theory.BatchLeft(4, 1, 4, at), 4*math.Exp(-at); math.Abs(got-want) > 1e-9 {
			t.Errorf("4 workers on 4 tasks leave %v after %v, want %v", got, at, want)
		}
		want := math.Exp(-at) * (3 + 2*at + at*at/2)
		if got := theory.BatchLeft(3, 1, 1, at); math.Abs(got-want) > 1e-9 {
			t.Errorf("a worker on 3 tasks leaves %v after %v, want %v", got, at, want)
		}
	}
}
