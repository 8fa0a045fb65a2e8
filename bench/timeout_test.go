package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

func TestTimeout(t *testing.T) {
	w := bench.Encoded{Workload: "bimodal:p=0.25,short=1ms,long=50ms", Arrival: "constant",
		Limit: 8, Rate: 100, Tasks: 1000, Timeout: 10 * time.Millisecond}
	r := run(t, scenario(t, w))
	long := metric(t, r, "failed/op")
	if long < 0.2 || long > 0.3 {
		t.Errorf("%v of the tasks failed, where a quarter takes too long", long)
	}
	if got := metric(t, r, "max-response-sec"); got != 1e-3 {
		t.Errorf("a task that completed took %v s", got)
	}
	// A completed task is busy for 1 ms, a cancelled one for 10 ms.
	want := (1e-3*(1-long) + 10e-3*long) * 1000 / (8 * metric(t, r, "makespan-sec"))
	if got := metric(t, r, "utilisation"); got < want*0.9999 || got > want*1.0001 {
		t.Errorf("utilisation %v, want %v", got, want)
	}
}

func TestTimeoutBoundsEvil(t *testing.T) {
	w := bench.Encoded{Workload: "evil:p=0.1,wait=const(1ms)", Arrival: "batch", Limit: 4,
		Tasks: 1000, Timeout: time.Second}
	r := run(t, scenario(t, w))
	evil := metric(t, r, "failed/op")
	if evil < 0.07 || evil > 0.13 {
		t.Errorf("%v of the tasks failed, where a tenth never ends", evil)
	}
	if makespan := metric(t, r, "makespan-sec"); makespan < 250*evil || makespan > 250*evil+1.3 {
		t.Errorf("%v of 1000 tasks held one of 4 slots for 1 s each, and the run took %v s", evil,
			makespan)
	}
}

// A task that ignores its context and succeeds late counts as timed out, and keeps its slot.
func TestTimeoutIgnored(t *testing.T) {
	w := bench.Encoded{Workload: "evil:p=0.1,wait=const(1ms),late=300ms", Arrival: "batch",
		Limit: 4, Tasks: 1000, Timeout: 100 * time.Millisecond}
	for _, strategy := range []string{"worker_pool", "semaphore", "singleton_pool", "hedged"} {
		w.Strategy = strategy
		r := run(t, scenario(t, w, func(s *bench.Scenario) { s.Stop.Warmup = 0 }))
		failed := metric(t, r, "failed/op")
		if failed < 0.07 || failed > 0.13 {
			t.Errorf("%s: %v of the tasks failed, where a tenth ignores its timeout", strategy,
				failed)
		}
		n, longest := metric(t, r, "overruns"), metric(t, r, "max-overrun-sec")
		if want := math.Round(failed * 1000); n < want || strategy != "hedged" && n != want {
			t.Errorf("%s: %v attempts ran on, want those of the %v tasks that failed", strategy, n,
				want)
		}
		if mean := metric(t, r, "mean-overrun-sec"); mean != 0.3 || longest != 0.3 {
			t.Errorf("%s: they ran on for %v s, at most %v s, want 0.3 s", strategy, mean, longest)
		}
		// each failed task used one of 4 slots for 0.4 s
		if makespan := metric(t, r, "makespan-sec"); makespan < 100*failed {
			t.Errorf("%s: %v of 1000 tasks held a slot for 0.4 s, in %v s", strategy, failed,
				makespan)
		}
	}
}

func TestTimeoutKept(t *testing.T) {
	w := bench.Encoded{Workload: "evil:p=0.1", Arrival: "batch", Limit: 4, Timeout: time.Second}
	r := run(t, scenario(t, w))
	if n := metric(t, r, "overruns"); n != 0 {
		t.Errorf("%v of the attempts ran on, where all end when they are cancelled", n)
	}
	if _, ok := r.Metric("max-overrun-sec"); ok {
		t.Error("a longest overrun where there is none")
	}
	w.Workload, w.Timeout = "", 0
	if _, ok := run(t, scenario(t, w)).Metric("overruns"); ok {
		t.Error("overruns are counted without a timeout")
	}
}

func TestTimeoutIgnoredUnderTheRealClock(t *testing.T) {
	t.Parallel()
	w := bench.Encoded{Workload: "evil:p=1,late=5ms", Arrival: "batch", Limit: 4, Tasks: 40,
		Timeout: time.Millisecond, Clock: "real"}
	r := run(t, scenario(t, w, func(s *bench.Scenario) { s.Stop.Warmup = 0 }))
	if failed, n := metric(t, r, "failed/op"), metric(t, r, "overruns"); failed != 1 || n != 40 {
		t.Errorf("%v of 40 tasks failed and %v ran on, want all", failed, n)
	}
	if longest := metric(t, r, "max-overrun-sec"); longest < 5e-3 {
		t.Errorf("the longest ran on for %v s, and each for 5 ms or more", longest)
	}
}

func TestTimeoutOfParts(t *testing.T) {
	for _, strategy := range []string{"partitioned", "partitioned_all_at_once"} {
		w := bench.Encoded{Strategy: strategy, Workload: "constant:mean=30ms", Arrival: "batch",
			Limit: 4, Tasks: 100, Timeout: time.Microsecond}
		r := run(t, scenario(t, w, func(s *bench.Scenario) { s.Stop.Warmup = 0 }))
		if failed := metric(t, r, "failed/op"); failed != 1 {
			t.Errorf("%s: %v of the tasks failed, and no part ends in 1 µs", strategy, failed)
		}
	}
}
