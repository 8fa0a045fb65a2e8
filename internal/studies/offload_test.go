package studies

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// sampleOffload has workers that complete so many times the tasks of the loop at each size, and cost a single client 250 ns; all but
// one repetition are disturbed.
func sampleOffload(gains []float64, waited float64) *measured {
	cells := append(handCells(inline, Quick), append(handCells(handedOver[0], Quick), handCells(pooled, Quick)...)...)
	return synthetic(cells, 3, func(sc bench.Scenario, i int) map[string]float64 {
		over := 0
		if sc.Strategy.Spec.Name != inline {
			over = 1
		}
		values := map[string]float64{"cpu-wait": waited, "p50-wait-sec": 600e-9 + float64(over)*250e-9, "p50-response-sec": 11e-6}
		for j, of := range handSizes {
			if handCell(inline, of, Quick).Workload.String() == sc.Workload.String() {
				values["ops/s"] = math.Pow(gains[j], float64(over)) / of.Seconds()
			}
		}
		if (i+over)%3 != 0 {
			values["ops/s"] /= 3
			values["p50-wait-sec"] *= 3
			values["cpu-wait"] = 0.9
		}
		return values
	})
}

func TestOffloadVerdicts(t *testing.T) {
	for _, c := range []struct {
		gains  []float64
		waited float64
		want   Verdict
		says   string
	}{
		{[]float64{0.5, 1.2, 1.5, 1.9, 1.9}, 0, Holds, "costs a single client 250 ns a task, and event_loop_offload completes more than the loop from 720 ns on"},
		{[]float64{1.2, 1.2, 1.5, 1.9, 1.9}, 0.1, Holds, "at every size measured, from 200ns on"},
		{[]float64{0.5, 0.8, 1.5, 1.9, 1.9}, 0, Depends, "it pays ×1.5 at 10µs, ×1.9 at 100µs, ×1.9 at 1ms, and not ×0.8 at 1µs"},
		{[]float64{2, 1, 1, 1, 1.05}, 0, DoesNotHold, "×1.05 at 1ms"}, // 200 ns are below the cost
		{[]float64{0.5, 0.8, 0.9, 0.9, 0.9}, 0, DoesNotHold, "not at any size for good"},
		{[]float64{0.5, 1.2, 1.5, 1.9, 1.9}, 0.3, Undecided, "for 30 % of the time"},
	} {
		f := judgeOffload(sampleOffload(c.gains, c.waited))
		if f.Verdict != c.want || !strings.Contains(f.Because, c.says) {
			t.Errorf("gains %v: %v, %q; want %v", c.gains, f.Verdict, f.Because, c.want)
		}
		if text := fmt.Sprint(f); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "%!") {
			t.Errorf("the finding holds a number that is none: %s", text)
		}
		if figures, err := mustLookup(t, "offload").Draw(sampleOffload(c.gains, c.waited)); err != nil || len(figures) != 1 {
			t.Errorf("gains %v: %d figures, %v", c.gains, len(figures), err)
		}
	}
}

// TestBreakEven: between a gain of a half and of two lies one of one, in the middle on logarithmic axes.
func TestBreakEven(t *testing.T) {
	for _, c := range []struct {
		gains []float64
		want  float64
	}{
		{[]float64{0.25, 0.5, 2, 2, 2}, math.Sqrt(1e-6 * 1e-5)},
		{[]float64{2, 2, 0.5, 2, 2}, math.Sqrt(1e-5 * 1e-4)}, // for good
		{[]float64{2, 2, 2, 2, 2}, 0},
		{[]float64{2, 2, 2, 2, 0.5}, math.Inf(1)},
	} {
		if got := breakEven(sampleOffload(c.gains, 0), handedOver[0]); got != c.want && math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("gains %v: even at %v, want %v", c.gains, got, c.want)
		}
	}
	if got := breakEven(fromResults(nil), pooled); !math.IsNaN(got) {
		t.Errorf("nothing is even at %v", got)
	}
}

// TestOffloadBatches: batches of all sizes are as much work, but for the smallest tasks, and none has fewer than all workers need.
func TestOffloadBatches(t *testing.T) {
	for _, of := range handSizes {
		n := handCell(pooled, of, Quick).Stop.Tasks
		if work := time.Duration(n) * of; work > handBusy || n < 4*limit {
			t.Errorf("%d tasks of %v", n, of)
		}
	}
}
