package studies

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestNoisyVerdicts(t *testing.T) {
	study, err := Lookup("noisy_neighbour")
	if err != nil {
		t.Fatal(err)
	}
	cells := study.Cells(Quick)
	for name, c := range map[string]struct {
		ratio func(load float64) float64 // ratio of the others' p99 in one pool to that with shares
		want  decide.ClaimVerdict
	}{
		"as claimed": {func(load float64) float64 {
			return 1 + 10*max(0, load-0.6)
		}, decide.Holds},
		"bad from the start": {func(float64) float64 { return 3 }, decide.Depends},
		"never bad":          {func(float64) float64 { return 1 }, decide.Depends},
		"upside down":        {func(load float64) float64 { return 2 - load }, decide.DoesNotHold},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			p99 := 0.05 + 0.001*float64(i)
			if sc.Strategy.String() == pooled {
				p99 *= c.ratio(sc.Load.Relative)
			}
			return map[string]float64{othersP99: p99, "noisy-share": 0.5}
		}
		if f := judgeAndDraw(t, synthetic(cells, 3, of), judgeNoisy, drawNoisy); f.Verdict != c.want {
			t.Errorf("%s: %v (%s), want %v", name, f.Verdict, f.Because, c.want)
		}
		if f := judgeNoisy(synthetic(cells[:3], 3, of)); f.Verdict != decide.ClaimUndecided {
			t.Errorf("%s: %v of one pool alone", name, f.Verdict)
		}
	}
}

func TestNoisy(t *testing.T) {
	const at = 4 // load 1.2
	one, apart := noisyOf(pooled)[at], noisyOf(sharesOut)[at]
	quiet := noisyOf(sharesOut)[0]
	one.Stop.Tasks, apart.Stop.Tasks, quiet.Stop.Tasks = 5000, 5000, 5000
	m := measureCells(t, one, apart, quiet)
	p99 := func(sc bench.Scenario) float64 { return m.Mean(sc, othersP99).Mid }
	if p99(one) < 5*p99(apart) || p99(apart) > 2*p99(quiet) {
		t.Errorf("the others' p99 is %v in one pool, %v with shares and %v while all send alike",
			p99(one), p99(apart), p99(quiet))
	}
}
