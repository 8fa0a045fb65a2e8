package studies

import (
	"fmt"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestMetastableVerdicts(t *testing.T) {
	study, err := Lookup("metastable")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kept func(c stormCase) float64
		want decide.ClaimVerdict
		says string
	}{
		"all": {func(stormCase) float64 { return 1 }, decide.Holds,
			"at 50 % of the capacity the goodput on the way down is that of the " +
				"way up (100 %)"},
		"none": {func(stormCase) float64 { return 0 }, decide.DoesNotHold,
			"at 50 % of the capacity the goodput on the way down is lower than on " +
				"the way up (0 %)"},
		"a storm": {func(c stormCase) float64 {
			return map[bool]float64{true: 0, false: 1}[c == stormCases[1]]
		}, decide.Depends,
			"on the retries: it holds for no retries (100 %), a retry budget of 10 " +
				"% (100 %) and retries, shedding (100 %), not for retries (0 %)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			v := map[string]float64{}
			for stage, load := range stormSteps() {
				v[stormGoodput(stage+1)] = load * stormRate
				v[fmt.Sprintf("stage%d-offered-ops/s", stage+1)] = load * stormRate
				for _, of := range stormCases {
					if of.cell().Name() == sc.Name() && stage >= len(stormLoads)-1 {
						v[stormGoodput(stage+1)] *= c.kept(of)
					}
				}
			}
			return v
		}
		expect(t, name, judgeAndDraw(t, synthetic(study.Cells(Quick), 3, of), judgeStorm, drawStorm),
			c.want, c.says)
	}
}

// With four attempts each, 150 tasks per second are 600 calls, and the server's capacity is 400, so
// the server never recovers. With a retry budget of a tenth it recovers below 400/1.1 when it has
// finished its backlog. Calls that are refused at once cost the server nothing.
func TestMetastable(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	var cells []bench.Scenario
	for _, c := range stormCases {
		cells = append(cells, c.cell())
	}
	m := measureCells(t, cells...)
	for i, c := range stormCases {
		kept := stormKept(m, c, stormAt).Mid
		if up := i != 1; up && kept < 0.95 || !up && kept > 0.01 {
			t.Errorf("%s: %v of the goodput is left", c.name, kept)
		}
	}
	peak := stormGoodput(len(stormLoads))
	for i, c := range stormCases {
		at := m.Mean(c.cell(), peak).Mid
		if sheds := i == 3; sheds && at < 0.95*stormRate || !sheds && at > 0.3*stormRate {
			t.Errorf("%s: %v a second above the capacity", c.name, at)
		}
	}
}
