package studies

import (
	"math"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies/evidence"
)

// sampleEvil returns runs with the planned number of endless tasks. longest returns the longest
// wait of the other tasks.
func sampleEvil(longest func(sc bench.Scenario, endless int) float64) *evidence.Measured {
	return synthetic(studyCells("evil"), 3, func(sc bench.Scenario, _ int) map[string]float64 {
		if sc.Workload.Spec.Name != "evil" {
			return map[string]float64{"mean-service-sec": 0.0433, "short-p99-response-sec": 0.02}
		}
		p := sc.Workload.Values.Float("p")
		slowest := longest(sc, int(math.Round(p*evilTasks)))
		return map[string]float64{"failed/op": p, "max-response-sec": slowest,
			"p99-response-sec": slowest / 2, "ops/s": 160, "goodput-ops/s": 80, "shed/op": 0,
			"peak-inflight": 4}
	})
}

func TestEvilVerdicts(t *testing.T) {
	for _, c := range []struct {
		name    string
		longest func(sc bench.Scenario, endless int) float64
		want    decide.ClaimVerdict
		because string
	}{
		{"k stop all", func(_ bench.Scenario, n int) float64 {
			return map[bool]float64{false: 1, true: 60}[n >= limit]
		}, decide.Holds,
			"4 endless tasks or more stop each pool, whatever the timeout, so at most 4.44 % of " +
				"such runs have another result (95 % confidence) (100 %)"},
		{"nothing is stopped", func(bench.Scenario, int) float64 { return 59 },
			decide.DoesNotHold,
			"4 endless tasks or more stop no pool, whatever the timeout, so at most 4.44 % of " +
				"such runs have another result (95 % confidence) (0 %)"},
		{"without a timeout", func(sc bench.Scenario, _ int) float64 {
			return map[bool]float64{false: 1, true: 3600}[sc.Timeout == evilNever]
		}, decide.Depends,
			"on the timeout: it holds for 1 h (100 %), not for 1 s (0 %) and 100 " +
				"ms (0 %)"},
		{"more than k", func(_ bench.Scenario, n int) float64 {
			return map[bool]float64{false: 1, true: 60}[n > 2*limit]
		}, decide.Depends,
			"on the timeout: it holds for 100 ms (100 %), partly for 1 h (25 %) " +
				"and 1 s (66.7 %)"},
	} {
		expect(t, c.name, judgeEvil(sampleEvil(c.longest)), c.want, c.because)
	}
}

func TestEvilOverloaded(t *testing.T) {
	over := map[string]bool{}
	for _, timeout := range evilTimeouts {
		for _, busy := range evilBusy {
			over[evilTimed(timeout, busy).Name()] = busy > 1
		}
	}
	f := judgeEvil(sampleEvil(func(sc bench.Scenario,
		_ int) float64 {
		return map[bool]float64{false: 1, true: 3600}[over[sc.Name()]]
	}))
	if f.Verdict != decide.DoesNotHold {
		t.Errorf("with overload alone: %v, %s", f.Verdict, f.Because)
	}
}

func TestEvilBusy(t *testing.T) {
	for _, timeout := range evilTimeouts {
		for _, busy := range evilBusy {
			sc := evilTimed(timeout, busy)
			p := sc.Workload.Values.Float("p")
			mean := p*timeout.Seconds() + (1-p)*evilGood.Seconds()
			if got := evilLoad / evilGood.Seconds() * mean; math.Abs(got-busy) > 1e-3 {
				t.Errorf("timeout %v: %v of the slots' time is asked for, want %v",
					timeout, got, busy)
			}
		}
	}
}

// As many endless tasks as slots stop a pool without classes. Half as many stop a pool whose slots
// are divided between two classes. An unbounded strategy, or a pool that suspends tasks between
// steps, never stops.
func TestEvilRuns(t *testing.T) {
	last := len(evilShares) - 1
	run := func(sc bench.Scenario) *bench.Result {
		t.Helper()
		r := runOnce(t, sc)
		return r
	}
	var results []*bench.Result
	for _, name := range []string{"worker_pool", "unbounded", evilPools[3]} {
		results = append(results, run(evilUnknown(name)[last-3]), run(evilUnknown(name)[last]))
	}
	for _, name := range []string{evilKeepers[0], evilKeepers[2]} {
		results = append(results, run(evilKnown(name)[1]))
	}
	m := evidence.FromResults(results)
	stopped := func(name string) (with []int) {
		for _, r := range evilRuns(m, evilUnknown(name), evilUnknown("unbounded")) {
			if r.longest >= evilMinute {
				with = append(with, r.endless)
			}
		}
		return with
	}
	for name, fewest := range map[string]int{"worker_pool": limit, evilPools[3]: limit / 2} {
		with := stopped(name)
		if len(with) == 0 {
			t.Errorf("%s was not stopped", name)
		}
		for _, n := range with {
			if n < fewest {
				t.Errorf("%s was stopped by %d endless tasks", name, n)
			}
		}
	}
	if with := stopped("unbounded"); len(with) > 0 {
		t.Errorf("unbounded was stopped by %d endless tasks", with)
	}
	shared, steps := evilKnownRuns(m, evilKeepers[0]), evilKnownRuns(m, evilKeepers[2])
	if len(shared) != 1 || len(steps) != 1 || shared[0].endless != steps[0].endless ||
		shared[0].endless < limit {
		t.Fatalf("labelled tasks: %+v and %+v", shared, steps)
	}
	if shared[0].p99 < 10 || steps[0].p99 > 0.1 {
		t.Errorf("with %d tasks of %v the p99 is %v s in a shared pool, and %v s in steps",
			shared[0].endless, evilLong, shared[0].p99, steps[0].p99)
	}
}
