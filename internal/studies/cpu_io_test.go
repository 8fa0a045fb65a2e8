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

// sampleCores returns responses of the waiting tasks of 1 s in two pools and ratio seconds in one
// pool, and the throughput of two pools relative to one: share for tasks that do both, either for
// other tasks.
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
			"two pools are better in all 15 comparisons"},
		{"two pools win nothing", sampleCores(always(1), 0.8, 0.8), decide.DoesNotHold,
			"two pools are better in none of 15 comparisons"},
		{"two pools lose", sampleCores(always(0.5), 0.8, 0.8), decide.DoesNotHold,
			"two pools are better in none of 15 comparisons"},
		{"at small limits", sampleCores(func(limit int) float64 { return 1 + 1/float64(limit) },
			1, 0.95), decide.Depends,
			"on the limit and on the tasks: two pools are better in 12 of 15 comparisons (the " +
				"waiting tasks' p99 at limit 3, 4, 6 and 8, the waiting tasks' mean response " +
				"on real cores with 2 slots to compute at limit 4 and 4 more), and not in 3 " +
				"(the waiting tasks' p99 at limit 16, the waiting tasks' mean response on real " +
				"cores with 2 slots to compute at limit 16 and the waiting tasks' mean " +
				"response on real cores with 1 slot to compute at limit 16)"},
		{"not for tasks that do both", sampleCores(always(2), 1, 0.3), decide.Depends,
			"on the limit and on the tasks: two pools are better in 13 of 15 comparisons (the " +
				"waiting tasks' p99 at limit 3, 4, 6, 8 and 16, the waiting tasks' mean " +
				"response on real cores with 2 slots to compute at limit 4 and 16 and 3 more), " +
				"and not in 2 (throughput of tasks that compute and then wait at limit 8 and 32)"},
		{"at a price", sampleCores(always(2), 0.5, 1), decide.Depends,
			"on the limit and on the tasks: two pools are better in 11 of 15 comparisons (the " +
				"waiting tasks' p99 at limit 3, 4, 6, 8 and 16, the waiting tasks' mean " +
				"response on real cores with 2 slots to compute at limit 4 and 16 and 2 more), " +
				"and not in 4 (throughput on real cores with 2 slots to compute at limit 4 and " +
				"16 and throughput on real cores with 1 slot to compute at limit 4 and 16)"},
	} {
		f := judgeCores(c.m)
		expect(t, c.name, f, c.want, c.because)
	}
}

// Responses are reported as one pool divided by two, throughputs as two divided by one.
func TestCoresLines(t *testing.T) {
	m := synthetic(studyCells("cpu_io"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{callTail: 1, waitMean: 1, computeMean: 1, "ops/s": 100}
		if sc.Strategy.Spec.Name == pooled {
			metrics[waitMean], metrics[computeMean], metrics["ops/s"] = 3, 0.5, 80
		}
		return metrics
	})
	said := strings.Join(judgeCores(m).Lines, "\n")
	for _, want := range []string{
		"the waiting tasks' mean response on real cores with 2 slots to compute, in one pool ÷ " +
			"in two: 3 at limit 4 and 16\n",
		"the computing tasks' mean response on real cores with 1 slot to compute, in one pool " +
			"÷ in two: 0.5 at limit 4 and 16\n",
		"throughput on real cores with 2 slots to compute, of two pools ÷ of one: 1.25 at " +
			"limit 4 and 16\n",
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

// With two cores 60 % busy, Erlang C is 0.45, and each further slot multiplies it by the load. An
// overloaded class pool has no steady state, and one with room has nearly no wait.
func TestCoresTheory(t *testing.T) {
	for k, want := range map[int]float64{corePool: 0.45, corePool + 1: 0.27, corePool + 2: 0.162} {
		if got := allComputing(k); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d computations or more are under way for %v of the time, want %v", k, got,
				want)
		}
	}
	rate := callSlots / calling.Seconds()
	if got := poolTail(rate, calling, 1); !math.IsNaN(got) {
		t.Errorf("an overloaded class pool has a p99 of %v", got)
	}
	if got := poolTail(rate, calling, 14); math.Abs(got-calling.Seconds()) > 1e-9 {
		t.Errorf("a class pool of 14 slots has a p99 of %v s, want %v", got, calling)
	}
}

// A class pool that is too small is worse than one pool, one of the right size is better, and with
// enough slots there is no gain. The p99 of computing tasks depends only on their class pool.
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
