package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestDeadlinesVerdicts(t *testing.T) {
	study, err := Lookup("deadlines")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Quick)
	for name, c := range map[string]struct {
		own  func(load float64) float64 // share missed by earliest_deadline; the others miss 0.3
		want decide.ClaimVerdict
	}{
		"as claimed": {func(load float64) float64 {
			return map[bool]float64{true: 1, false: 0.1}[load > 1]
		}, decide.Holds},
		"never most": {func(float64) float64 { return 0.1 }, decide.Depends},
		"near it more": {func(load float64) float64 {
			return map[bool]float64{true: 1, false: 0.1}[load > 0.9]
		}, decide.Depends},
		"upside down": {func(load float64) float64 {
			return map[bool]float64{true: 0.1, false: 0.5}[load > 1]
		}, decide.DoesNotHold},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			share := 0.3
			if sc.Strategy.String() == earliest {
				share = c.own(sc.Load.Relative)
			}
			return map[string]float64{missed: share - 0.001*float64(i),
				"max-lateness-sec": 0.1 + 0.01*float64(i)}
		}
		if f := judgeAndDraw(t, synthetic(cells, 3, of), judgeDue, drawDue); f.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", name, f.Verdict, f.Because, c.want)
		}
		if f := judgeDue(synthetic(cells[:3], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of one order alone", name, f.Verdict)
		}
	}
}

func TestDeadlines(t *testing.T) {
	var cells []bench.Scenario
	for _, name := range orders {
		for _, at := range []int{1, 5} {
			sc := dueOf(name)[at]
			sc.Stop.Tasks = 5000
			cells = append(cells, sc)
		}
	}
	m := measureCells(t, cells...)
	share := func(order, at int) float64 { return m.Mean(cells[2*order+at], missed).Mid }
	for i, name := range orders {
		if name != earliest && share(i, 0) < share(1, 0) {
			t.Errorf("at load 0.8 %s misses %v, %s %v", name, share(i, 0), earliest, share(1, 0))
		}
	}
	if share(1, 1) < missedAll || share(3, 1) > 0.6 {
		t.Errorf("at load 1.2 %s misses %v, %s %v", earliest, share(1, 1), orders[3], share(3, 1))
	}
}
