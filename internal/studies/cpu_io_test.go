package studies

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// sampleCores has waiting tasks respond after one second in two pools, and after so many times as much in one pool; and of the tasks that do both
// two pools complete that share of what one pool does, and of real tasks of either kind another.
func sampleCores(ratio func(limit int) float64, either, share float64) *measured {
	return synthetic(studyCells("cpu_io"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{callTail: 1, computeTail: 1, waitMean: 1, computeMean: 1, "ops/s": 100, "mean-service-sec": 0.01}
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

// TestCoresVerdicts drives the rule to each verdict.
func TestCoresVerdicts(t *testing.T) {
	always := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	for _, c := range []struct {
		name    string
		m       *measured
		want    Verdict
		because string
	}{
		{"two pools win all", sampleCores(always(1.2), 1, 0.95), Holds, "better with two pools at limit: 3 (×1.2), 4 (×1.2)"},
		{"two pools win nothing", sampleCores(always(1), 0.8, 0.8), DoesNotHold, "within a tenth at limit: 3 (×1), 4 (×1)"},
		{"two pools lose", sampleCores(always(0.5), 0.8, 0.8), DoesNotHold, "16 on real cores, with cpu=2 (×0.5)"},
		{"at small limits", sampleCores(func(limit int) float64 { return 1 + 1/float64(limit) }, 1, 0.95), Depends, "within a tenth at limit: 16 (×1.06), 16 on real cores, with cpu=2 (×1.06)"},
		{"not for tasks that do both", sampleCores(always(2), 1, 0.3), Depends, "keep the throughput on real cores in 4 of 6"},
		{"at a price", sampleCores(always(2), 0.5, 1), Depends, "keep the throughput on real cores in 2 of 6"},
	} {
		f := judgeCores(c.m)
		if f.Verdict != c.want || !strings.Contains(f.Because+strings.Join(f.Lines, "\n"), c.because) {
			t.Errorf("%s: %v, %q", c.name, f.Verdict, f.Because)
		}
		sound(t, f)
	}
}

// TestCoresLines: what is said of real tasks of either kind is that of one pool over that of two, and the throughput the other way round.
func TestCoresLines(t *testing.T) {
	m := synthetic(studyCells("cpu_io"), 2, func(sc bench.Scenario, _ int) map[string]float64 {
		metrics := map[string]float64{callTail: 1, waitMean: 1, computeMean: 1, "ops/s": 100}
		if sc.Strategy.Spec.Name == pooled {
			metrics[waitMean], metrics[computeMean], metrics["ops/s"] = 3, 0.5, 80
		}
		return metrics
	})
	said := strings.Join(judgeCores(m).Lines, "\n")
	if want := "at limit 16: in one pool the mean response of the waiting ones is 3 times that in two, 2 of whose places compute, that of the computing ones 0.5 times; two pools complete 1.25 times as many a second"; !strings.Contains(said, want) {
		t.Errorf("it is not said that %q:\n%s", want, said)
	}
}

// TestCoresWorkload: the two kinds of tasks ask for the places that the figure names.
func TestCoresWorkload(t *testing.T) {
	sc := apartCell(Quick, pooled, 4)
	p := sc.Workload.Values.Float("p")
	if got := sc.Load.PerSecond * p * computing.Seconds(); math.Abs(got-coreBusy*coreLane) > 1e-3 {
		t.Errorf("computations keep %v cores busy, want %v", got, coreBusy*coreLane)
	}
	if got := sc.Load.PerSecond * (1 - p) * calling.Seconds(); math.Abs(got-callPlaces) > 1e-3 {
		t.Errorf("calls keep %v places busy, want %v", got, callPlaces)
	}
}

// TestCoresTheory: with two cores 60 % busy Erlang C is 0.45, and each place more takes the factor of the load; a lane that is overloaded
// has no steady state, and one with room has next to no wait.
func TestCoresTheory(t *testing.T) {
	for k, want := range map[int]float64{coreLane: 0.45, coreLane + 1: 0.27, coreLane + 2: 0.162} {
		if got := allComputing(k); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d computations or more are under way for %v of the time, want %v", k, got, want)
		}
	}
	rate := callPlaces / calling.Seconds()
	if got := laneTail(rate, calling, 1); !math.IsNaN(got) {
		t.Errorf("an overloaded lane has a p99 of %v", got)
	}
	if got := laneTail(rate, calling, 14); math.Abs(got-calling.Seconds()) > 1e-9 {
		t.Errorf("a lane of 14 places has a p99 of %v s, want %v", got, calling)
	}
}

// TestCoresRuns runs what the study says of places: a lane that is too small is worse than one pool, one of the right size is better, and
// with places enough there is nothing to win. The computing tasks' p99 is that of their lane alone, whatever the limit.
func TestCoresRuns(t *testing.T) {
	var results []*bench.Result
	for _, k := range []int{3, 4, 16} {
		for _, name := range []string{pooled, coreSplit} {
			r, err := bench.Run(t.Context(), apartCell(Quick, name, k))
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
	}
	m := fromResults(results)
	ratios := []float64{coreRatio(m, callTail, 3), coreRatio(m, callTail, 4), coreRatio(m, callTail, 16)}
	if !(ratios[0] < 1/coreMargin && ratios[1] > coreMargin && math.Abs(ratios[2]-1) < 0.01) {
		t.Errorf("one pool has %v times the p99 of two, at limits of 3, 4 and 16", ratios)
	}
	var tails []float64
	for _, k := range []int{3, 4, 16} {
		tails = append(tails, m.values(apartCell(Quick, coreSplit, k), computeTail)...)
	}
	if len(slices.Compact(tails)) != 1 {
		t.Errorf("the p99 of the computing tasks is %v in lanes of the same size", tails)
	}
}
