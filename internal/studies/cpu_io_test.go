package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// sampleCores returns waiting tasks with a response of 1 s in two pools and ratio seconds in one
// pool. The throughput of two pools relative to one is share for tasks that both compute and wait,
// and either for other tasks.
func sampleCores(ratio func(limit int) float64, either, share float64) *evidence.Measured {
	return synthetic(studyCells("cpu_io"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{callTail: 1, computeTail: 1, waitMean: 1, computeMean: 1,
			"ops/s": 100, "mean-service-sec": 0.01}
		switch {
		case sc.Clock == bench.Virtual && sc.Strategy.Spec.Name == pooled:
			metrics[callTail] = ratio(sc.Limit)
		case sc.Workload.Spec.Name == "cpu_io" && sc.Strategy.Spec.Name == pooled:
			metrics[waitMean], metrics["ops/s"] = ratio(sc.Limit), metrics["ops/s"]/either
		case sc.Workload.Spec.Name == "mixed" && sc.Strategy.Spec.Name != pooled:
			metrics["ops/s"] *= share
		}
		return metrics
	})
}

func TestCoresVerdicts(t *testing.T) {
	always := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	for _, c := range []struct {
		name    string
		m       *evidence.Measured
		want    decide.ClaimVerdict
		because string
	}{
		{"two pools win all", sampleCores(always(1.2), 1, 0.95), decide.Holds,
			"two pools are better in all 15 comparisons (×0.95 to ×1.2)"},
		{"two pools win nothing", sampleCores(always(1), 0.8, 0.8), decide.DoesNotHold,
			"two pools are better in none of 15 comparisons (×0.8 to ×1)"},
		{"two pools lose", sampleCores(always(0.5), 0.8, 0.8), decide.DoesNotHold,
			"two pools are better in none of 15 comparisons (×0.5 to ×0.8)"},
		{"at small limits", sampleCores(func(limit int) float64 { return 1 + 1/float64(limit) },
			1, 0.95), decide.Depends,
			"on the limit and on the tasks, in 12 and not in 3 of 15 comparisons: " +
				"it holds for limit 3, p99 of waiting tasks (×1.33), limit 4, p99 of " +
				"waiting tasks (×1.25), limit 6, p99 of waiting tasks (×1.17) and 6 " +
				"more, not for limit 16, p99 of waiting tasks (×1.06) and limit 16, " +
				"mean of waiting tasks (×1.06)"},
		{"not for tasks that do both", sampleCores(always(2), 1, 0.3), decide.Depends,
			"on the limit and on the tasks, in 13 and not in 2 of 15 comparisons: " +
				"it holds for limit 3, p99 of waiting tasks (×2), limit 4, p99 of " +
				"waiting tasks (×2), limit 6, p99 of waiting tasks (×2) and 6 more, " +
				"not for limit 8, mixed tasks' throughput (×0.3) and limit 32, mixed " +
				"tasks' throughput (×0.3)"},
		{"at a price", sampleCores(always(2), 0.5, 1), decide.Depends,
			"on the limit and on the tasks, in 11 and not in 4 of 15 comparisons: " +
				"it holds for limit 3, p99 of waiting tasks (×2), limit 4, p99 of " +
				"waiting tasks (×2), limit 6, p99 of waiting tasks (×2) and 6 more, " +
				"not for limit 4, throughput (×0.5) and limit 16, throughput (×0.5)"},
	} {
		f := judgeCores(c.m)
		expect(t, c.name, f, c.want, c.because)
	}
}

// Response ratios are one pool divided by two, throughput ratios are two divided by one.
func TestCoresLines(t *testing.T) {
	m := synthetic(studyCells("cpu_io"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{callTail: 1, waitMean: 1, computeMean: 1, "ops/s": 100}
		if sc.Strategy.Spec.Name == pooled {
			metrics[waitMean], metrics[computeMean], metrics["ops/s"] = 3, 0.5, 80
		}
		return metrics
	})
	said := strings.Join(printed(judgeCores(m)), "\n")
	for _, want := range []string{
		"limit 4, mean of waiting tasks | one ÷ two ≥ 1.1 | real, 2 to compute | ×3 | yes\n",
		"limit 16, throughput | two ÷ one ≥ 0.9 | real, 1 to compute | ×1.25 | yes\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it is not said that %q:\n%s", want, said)
		}
	}
}

func TestCoresWorkload(t *testing.T) {
	sc := twoKindsCell(Quick, pooled, 4)
	p := sc.Workload.Values.Float("p")
	if got := sc.Load.PerSecond * p * computing.Seconds(); math.Abs(got-coreBusy*corePool) > 1e-3 {
		t.Errorf("computations keep %v cores busy, want %v", got, coreBusy*corePool)
	}
	if got := sc.Load.PerSecond * (1 - p) * calling.Seconds(); math.Abs(got-callSlots) > 1e-3 {
		t.Errorf("calls keep %v slots busy, want %v", got, callSlots)
	}
}

// With two cores 60 % busy, Erlang C is 0.45. Each further slot multiplies it by the load.
func TestCoresTheory(t *testing.T) {
	for k, want := range map[int]float64{corePool: 0.45, corePool + 1: 0.27, corePool + 2: 0.162} {
		if got := allComputing(k); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d computations or more are under way for %v of the time, want %v", k, got,
				want)
		}
	}
}

// A class pool that is too small is worse than one pool, a class pool of the right size is better,
// and with enough slots both are equal. The p99 of computing tasks depends only on their class
// pool.
func TestCoresRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	var results []*bench.Result
	for _, k := range []int{3, 4, 16} {
		for _, name := range []string{pooled, coreSplit} {
			r := runOnce(t, twoKindsCell(Quick, name, k))
			results = append(results, r)
		}
	}
	m := evidence.FromResults(results)
	apart := coreCases()[0]
	ratios := []float64{apart.ratio(m, 3).Mid, apart.ratio(m, 4).Mid, apart.ratio(m, 16).Mid}
	if !(ratios[0] < 1/coreMargin && ratios[1] > coreMargin && math.Abs(ratios[2]-1) < 0.01) {
		t.Errorf("one pool has %v times the p99 of two, at limits of 3, 4 and 16", ratios)
	}
	var tails []float64
	for _, k := range []int{3, 4, 16} {
		tails = append(tails, m.Values(twoKindsCell(Quick, coreSplit, k), computeTail)...)
	}
	if len(slices.Compact(tails)) != 1 {
		t.Errorf("the p99 of the computing tasks is %v in class pools of the same size", tails)
	}
}
