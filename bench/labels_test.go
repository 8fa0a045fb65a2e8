package bench_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// labelledTrace is a workload in which a task of tenant i takes 10(i+1) ms, has priority i−2 and a
// deadline of 25 ms.
func labelledTrace(t *testing.T, tenants []int) string {
	t.Helper()
	var text strings.Builder
	for i, tenant := range tenants {
		fmt.Fprintf(&text, "%d,%dms,t%d,%d,25ms\n", i, 10*(tenant+1), tenant, tenant-2)
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return "trace:file=" + file + ",column=2,time=1,tenant=3,priority=4,deadline=5"
}

// Every client has a slot, so results are known exactly.
func TestLabelsInClosedLoops(t *testing.T) {
	// in every ten tasks, tenant 0 has 4, tenant 1 has 3, tenant 2 has 2, and tenant 5 has 1
	tenants := []int{0, 1, 0, 2, 5, 0, 1, 2, 1, 0}
	for _, arrival := range []string{"closed:clients=1", "closed:clients=7",
		"closed:clients=5,think=exp(20ms)"} {
		r := run(t, scenario(t, bench.Encoded{Strategy: "worker_pool", Limit: 8, Arrival: arrival,
			Workload: labelledTrace(t, tenants), Tasks: 5000}))
		want := map[string]float64{
			"tenant-0-mean-response-sec": 0.01, "tenant-0-p99-response-sec": 0.01,
			"tenant-1-mean-response-sec": 0.02, "tenant-1-p99-response-sec": 0.02,
			"tenant-2-mean-response-sec": 0.03, "tenant-2-p99-response-sec": 0.03,
			"tenant-3-mean-response-sec": 0.06, "tenant-3-p99-response-sec": 0.06,
			"priority-3-mean-response-sec": 0.06, "priority-0-mean-response-sec": 0.03,
			"priority-0-mean-wait-sec": 0, "priority-0-p99-response-sec": 0.03,
			"max-lateness-sec":        0.035,
			"others-p99-response-sec": 0.06, "tenants": 4, "priorities": 4,
		}
		for unit, want := range want {
			if got := metric(t, r, unit); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", arrival, unit, got, want)
			}
		}
		// only the last few tasks may be out of order
		for unit, want := range map[string]float64{"missed/op": 0.3,
			"noisy-share": 4. / (4 + 6 + 6 + 6), "fairness": 1, "others-mean-response-sec": (6 + 6 + 6) / 600.} {
			if got := metric(t, r, unit); math.Abs(got-want) > 0.002 {
				t.Errorf("%s: %s is %v, want %v", arrival, unit, got, want)
			}
		}
		if _, told := r.Metric("priority-1-mean-wait-sec"); told {
			t.Errorf("%s: a priority that no task has", arrival)
		}
	}
}

func TestTenantsQuota(t *testing.T) {
	const rate, tasks, seed = 500, 4000, 3
	for _, c := range []struct{ workload, arrival string }{
		{"tenants:n=5,skew=zipf(1.1),time=5ms", "constant"},
		{"tenants:n=200,skew=noisy(0.9),time=5ms", "poisson"},
		{"tenants:n=2,skew=zipf(0),time=exp(5ms)", "poisson"},
		{"exponential:mean=5ms", "poisson"}, // single tenant
	} {
		r := run(t, scenario(t, bench.Encoded{Strategy: "unbounded", Workload: c.workload,
			Arrival: c.arrival, Rate: rate, Tasks: tasks, Seed: seed, Limit: 1,
			Target: "tenant_quota:rate=40,burst=3"}))
		a, w := arrivals.MustParse(c.arrival), workloads.MustParse(c.workload)
		next, err := a.Spec.Open(rate, seed, a.Values)
		if err != nil {
			t.Fatal(err)
		}
		built, err := w.Spec.Build(seed, w.Values)
		if err != nil {
			t.Fatal(err)
		}
		buckets, refused := map[int32]*targets.TokenBucket{}, 0
		var first time.Duration
		for seq := range uint64(tasks) {
			due, tenant := next(), int32(0)
			if of, ok := built.(workloads.Tenanted); ok {
				tenant = of.Tenant(seq)
			}
			if seq == 0 {
				first = due
			}
			if buckets[tenant] == nil {
				buckets[tenant], _ = targets.NewTokenBucket(40, 3)
			}
			if !buckets[tenant].Admit(due - first).Admitted {
				refused++
			}
		}
		if got := metric(t, r, "refused-calls"); got != float64(refused) || refused == 0 {
			t.Errorf("%s: %v calls are refused, want %d", c.workload, got, refused)
		}
	}
}

// Starts after the last due time must not count. The slot has twice the work it can do, so until
// then it starts only the noisy tenant's half.
func TestNoisyShareEndsWithThePlan(t *testing.T) {
	const tasks = 5001
	var text strings.Builder
	for i := range tasks {
		fmt.Fprintf(&text, "%d,10ms,%d\n", i, i/(tasks/2+1))
	}
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := scenario(t, bench.Encoded{Strategy: "worker_pool", Limit: 1, Arrival: "constant",
		Rate: 200, Tasks: tasks, Workload: "trace:file=" + file + ",column=2,time=1,tenant=3"})
	for _, soak := range []bool{false, true} {
		s.Soak = soak
		if got := metric(t, run(t, s), "noisy-share"); got != 1 {
			t.Errorf("soak %v: the share of the noisy tenant is %v, want 1", soak, got)
		}
	}
}

// One slot with tasks of 10 ms every 5 ms is always busy.
func TestTenantsInTheWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const tasks = 20_000
	for _, c := range []struct {
		strategy string
		pattern  []int // tenant of each task in turn; tenant 0 is the noisy one
		shares   []float64
		fairness float64
	}{
		// the noisy tenant sends 180 tasks/s, the other 20/s
		{"worker_pool", []int{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, []float64{0.9, 0.1},
			// relative to the fair shares 0.8 and 0.2
			math.Pow(0.9/0.8+0.1/0.2, 2) / (2 * (math.Pow(0.9/0.8, 2) + math.Pow(0.1/0.2, 2)))},
		{"fair_share", []int{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, []float64{0.8, 0.2}, 1},
		// both exceed their fair share
		{"fair_share", []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 0}, []float64{0.5, 0.5}, 1},
		// tenant 1 needs 0.2, less than its fair share of 1 in 4
		{"fair_share:weights=3:1", []int{0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, []float64{0.8, 0.2}, 1},
		{"fair_share:weights=1:3", []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 0}, []float64{0.25, 0.75}, 1},
		{"fair_share:weights=1:3,quantum=10ms", []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 0},
			[]float64{0.25, 0.75}, 1},
	} {
		var text strings.Builder
		for i := range tasks {
			fmt.Fprintf(&text, "%d,10ms,t%d\n", i, c.pattern[i%len(c.pattern)])
		}
		file := filepath.Join(t.TempDir(), "t.csv")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, warmup := range []float64{0, 0.1, 0.3, 0.8} {
			s := scenario(t, bench.Encoded{Strategy: c.strategy, Limit: 1, Arrival: "constant",
				Rate: 200, Tasks: tasks, Warmup: warmup,
				Workload: "trace:file=" + file + ",column=2,time=1,tenant=3"})
			for _, s.Soak = range []bool{false, true} {
				r := run(t, s)
				want := map[string]float64{"noisy-share": c.shares[0], "fairness": c.fairness,
					"others-share": c.shares[1], "others-ops/s": 100 * c.shares[1], "ops/s": 100}
				for tenant, share := range c.shares {
					want[fmt.Sprintf("tenant-%d-share", tenant)] = share
					want[fmt.Sprintf("tenant-%d-ops/s", tenant)] = 100 * share
				}
				for unit, want := range want {
					if got := metric(t, r, unit); math.Abs(got-want) > 0.003*want {
						t.Errorf("%s, warm-up %v, soak %v: %s is %v, want %v", c.strategy, warmup,
							s.Soak, unit, got, want)
					}
				}
			}
		}
	}
}

// In a batch, tenants do not share slots over time.
func TestTenantsAllAtOnce(t *testing.T) {
	r := run(t, scenario(t, bench.Encoded{Strategy: "fair_share", Limit: 4, Arrival: "batch",
		Tasks: 1000, Workload: "tenants"}))
	for _, unit := range []string{"noisy-share", "tenant-0-share", "tenant-0-ops/s", "fairness"} {
		if v, ok := r.Metric(unit); ok {
			t.Errorf("%s is %v", unit, v)
		}
	}
}
