package studies

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// sampleOffload returns runs in which workers complete gains times the tasks of the loop at each
// size. Handing a task over costs a single client 250 ns. scatter is the relative difference
// between repetitions.
func sampleOffload(gains []float64, scatter, waited float64) *evidence.Measured {
	cells := append(offloadCells(Quick, inline),
		append(offloadCells(Quick, handedOver[0]), offloadCells(Quick, pooled)...)...)
	return synthetic(cells, 3, func(sc bench.Scenario, i int) map[string]float64 {
		over := 0.0
		if sc.Strategy.Spec.Name != inline {
			over = 1 + scatter*float64(i-1)
		}
		values := map[string]float64{"cpu-wait": waited, "p50-wait-sec": 600e-9 + over*250e-9,
			"p50-response-sec": 11e-6}
		for j, of := range offloadSizes {
			if offloadCell(inline, of, Quick).Workload.String() == sc.Workload.String() {
				values["ops/s"] = 1 / of.Seconds()
				if over > 0 {
					values["ops/s"] *= gains[j] * over
				}
			}
		}
		return values
	})
}

func TestOffloadVerdicts(t *testing.T) {
	for _, c := range []struct {
		name            string
		gains           []float64
		scatter, waited float64
		want            decide.ClaimVerdict
		says            string
	}{
		{"from 1 µs on", []float64{0.5, 1.2, 1.5, 1.9, 1.9}, 0.01, 0, decide.Holds,
			"for tasks longer than the cost of handing over, 250 ns (240 to 260 " +
				"ns), event_loop_offload completes at least 1.1 times the tasks of the " +
				"loop (×1.2 to ×1.9)"},
		{"everywhere", []float64{1.2, 1.2, 1.5, 1.9, 1.9}, 0, 0.1, decide.Holds,
			"for tasks longer than the cost of handing over, 250 ns, " +
				"event_loop_offload completes at least 1.1 times the tasks of the loop " +
				"(×1.2 to ×1.9)"},
		{"from 10 µs on", []float64{0.5, 0.8, 1.5, 1.9, 1.9}, 0.01, 0, decide.Depends,
			"on the size: it holds for 10 µs (×1.5), 100 µs (×1.9) and 1 ms " +
				"(×1.9), not for 1 µs (×0.8)"},
		{"below the cost", []float64{2, 1, 1, 1, 1.05}, 0.01, 0, decide.DoesNotHold,
			"for tasks longer than the cost of handing over, 250 ns (240 to 260 " +
				"ns), event_loop_offload completes less than 1.1 times the tasks of " +
				"the loop (×1 to ×1.05)"},
		{"nowhere", []float64{0.5, 0.8, 0.9, 0.9, 0.9}, 0.01, 0, decide.DoesNotHold,
			"for tasks longer than the cost of handing over, 250 ns (240 to 260 " +
				"ns), event_loop_offload completes less than 1.1 times the tasks of " +
				"the loop (×0.8 to ×0.9)"},
		{"scattered", []float64{0.5, 1.2, 1.5, 1.9, 1.9}, 0.1, 0, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether event_loop_offload " +
				"completes 1.1 times the tasks of the loop: 200 ns (×0.498) and 1 µs " +
				"(×1.2)"},
		{"a cost of perhaps 200 ns", []float64{0.5, 3, 3, 3, 3}, 0.2, 0, decide.ClaimUndecided,
			"the repetitions vary too much to decide whether event_loop_offload " +
				"completes 1.1 times the tasks of the loop: 200 ns (×0.493)"},
		{"crowded", []float64{0.5, 1.2, 1.5, 1.9, 1.9}, 0, 0.3, decide.ClaimUndecided,
			"other programs used the processors: ready threads waited for a processor for 30 % " +
				"of the time, in the best of 3 repetitions"},
	} {
		expect(t, c.name, judgeAndDraw(t, sampleOffload(c.gains, c.scatter, c.waited), judgeOffload,
			mustLookup(t, "offload").Draw...), c.want, c.says)
	}
}

// Between gains of 1/2 and 2, a gain of 1 is in the middle of the logarithmic axis.
func TestBreakEven(t *testing.T) {
	for _, c := range []struct {
		gains []float64
		want  float64
	}{
		{[]float64{0.25, 0.5, 2, 2, 2}, math.Sqrt(1e-6 * 1e-5)},
		{[]float64{2, 2, 0.5, 2, 2}, math.Sqrt(1e-5 * 1e-4)}, // the last crossing counts
	} {
		if got := breakEven(sampleOffload(c.gains, 0, 0),
			handedOver[0]); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("gains %v: even at %v, want %v", c.gains, got, c.want)
		}
	}
	for _, m := range []*evidence.Measured{
		evidence.FromResults(nil),
		sampleOffload([]float64{2, 2, 2, 2, 2}, 0, 0),
		sampleOffload([]float64{2, 2, 2, 2, 0.5}, 0, 0),
	} {
		if got := breakEven(m, handedOver[0]); !math.IsNaN(got) {
			t.Errorf("nothing is even at %v", got)
		}
	}
}

// Batches have the same total work, except the smallest batch. Each batch has enough tasks for all
// workers.
func TestOffloadBatchSizes(t *testing.T) {
	for _, of := range offloadSizes {
		n := offloadCell(pooled, of, Quick).Stop.Tasks
		if work := time.Duration(n) * of; work > offloadBusy || n < 4*limit {
			t.Errorf("%d tasks of %v", n, of)
		}
	}
}
