package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

func TestPulseVerdicts(t *testing.T) {
	study, err := Lookup("pulse")
	if err != nil {
		t.Fatal(err)
	}
	soon := func(string) float64 { return 1 }
	late := func(string) float64 { return 9 }
	for name, c := range map[string]struct {
		felt func(strategy string) float64 // seconds; 0: never recovered
		want decide.ClaimVerdict
		says string
	}{
		"all": {soon, decide.Holds,
			"on average the response does recover within a quarter of the pulse of " +
				"10 s (1 s)"},
		"none": {late, decide.DoesNotHold,
			"on average the response does not recover within a quarter of the " +
				"pulse of 10 s (9 s)"},
		"some never": {func(s string) float64 {
			return map[bool]float64{true: 0, false: 1}[s == pooled]
		}, decide.Depends,
			"on the handling of tasks that exceed the capacity: it holds for " +
				"bounded_queue_shed (1 s) and codel_lifo (1 s), not for worker_pool " +
				"(40 s)"},
	} {
		of := func(sc bench.Scenario, i int) map[string]float64 {
			felt := c.felt(sc.Strategy.String())
			v := map[string]float64{"stage2-shed/op": 0.1, "stage2-backlog-tasks": 100 + float64(i),
				"stage3-recovered": 1, "stage3-recovery-sec": felt, "stage1-p99-response-sec": 0.04,
				"stage3-p99-response-sec": 0.05}
			if felt == 0 {
				v["stage3-recovered"] = 0
				delete(v, "stage3-recovery-sec")
			}
			return v
		}
		cells := study.Cells(Quick)
		expect(t, name, judgeAndDraw(t, synthetic(cells, 3, of), judgePulse, drawPulse), c.want, c.says)
	}
}

// The backlog at the end of a pulse and the drain time must match the fluid limit. At 560 arrivals
// and 400 completions per second, the standard deviation of the backlog is √(960·10) tasks, or 6 %.
// The drain time over two runs is similar. The tolerance is four standard deviations.
func TestPulseDrains(t *testing.T) {
	sc := pulseCell(pooled, pulseBefore)
	m := measureCells(t, sc)
	left := (pulseLoad - 1) * pulseRate * pulseLength.Seconds()
	for what, ratio := range map[string]float64{
		"the backlog": m.Mean(sc, "stage2-backlog-tasks").Mid / left,
		"the drain": m.Mean(sc, "stage3-recovery-sec").Mid / pulseLength.Seconds() /
			fluidDrain(pulseBefore, pulseLoad),
	} {
		if math.Abs(ratio-1) > 4*0.06 {
			t.Errorf("%s is %v times that of a fluid", what, ratio)
		}
	}
	for _, r := range m.Runs(sc) {
		if v, _ := r.Metric("verdict"); v != 0 {
			t.Errorf("a pulse that was asked for is doubted: verdict %v", v)
		}
	}
}
