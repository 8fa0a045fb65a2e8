package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func TestShutdownVerdicts(t *testing.T) {
	study, err := Lookup("shutdown")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		saved func(sc bench.Scenario) float64 // by the deadline of the verdict
		want  Verdict
	}{
		"all":         {func(bench.Scenario) float64 { return 1 }, Holds},
		"little":      {func(bench.Scenario) float64 { return 0.25 }, DoesNotHold},
		"half":        {func(bench.Scenario) float64 { return 0.5 }, Depends},
		"short lines": {func(sc bench.Scenario) float64 { return map[bool]float64{true: 1, false: 0.1}[sc.Queue < 100] }, Depends},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			lost := 0.2 * (1 - c.saved(sc))
			switch {
			case sc.Drain < shutdownDeadline:
				lost = 0.2
			case sc.Drain > shutdownDeadline:
				lost = 0
			}
			return map[string]float64{"abandoned/op": lost, "shed/op": 0, "offered-ops/s": 500, "makespan-sec": 5 + float64(i)}
		}
		cells := study.Cells(Quick)
		if f := wellSaid(t, synthetic(cells, 3, of), judgeShutdown, drawShutdown); f.Verdict != c.want {
			t.Errorf("%s: %v, want %v (%s)", name, f.Verdict, c.want, f.Because)
		}
		if f := judgeShutdown(synthetic(cells[:2], 3, of)); f.Verdict != Undecided {
			t.Errorf("%s: %v of two scenarios", name, f.Verdict)
		}
	}
}

// TestShutdown runs what the study says: with no time all that is held is abandoned, with enough nothing is, and what blocks without a queue holds no
// more than its limit.
func TestShutdown(t *testing.T) {
	all := shutdownCases[3]
	now, soon, late := all.cell(atOnce), all.cell(shutdownDeadline), all.cell(shutdownDeadlines[len(shutdownDeadlines)-1])
	blocks := shutdownOther(strategy("semaphore")[0])
	blocks.Drain = atOnce
	m := measureCells(t, now, soon, late, blocks)
	if got := abandonedTasks(m, now).mid; got != shutdownBatch {
		t.Errorf("with no time %v of %d tasks are abandoned", got, shutdownBatch)
	}
	if got := abandonedTasks(m, late).mid; got != 0 {
		t.Errorf("with time for all %v tasks are abandoned", got)
	}
	if got := m.mean(soon, "makespan-sec").mid; got != shutdownDeadline.Seconds() {
		t.Errorf("the end takes %v s, where the deadline is %v", got, shutdownDeadline)
	}
	if got := abandonedTasks(m, blocks).mid; got < 1 || got > limit {
		t.Errorf("semaphore abandons %v tasks, and its limit is %d", got, limit)
	}
}

// TestLeftAfter: as many workers as tasks leave each task its own exponential time; a single worker's ends are a Poisson process.
func TestLeftAfter(t *testing.T) {
	for _, at := range []float64{0, 0.1, 1, 5} {
		if got, want := leftAfter(4, 4, at), 4*math.Exp(-at); math.Abs(got-want) > 1e-9 {
			t.Errorf("4 workers on 4 tasks leave %v after %v, want %v", got, at, want)
		}
		want := math.Exp(-at) * (3 + 2*at + at*at/2)
		if got := leftAfter(3, 1, at); math.Abs(got-want) > 1e-9 {
			t.Errorf("a worker on 3 tasks leaves %v after %v, want %v", got, at, want)
		}
	}
}
