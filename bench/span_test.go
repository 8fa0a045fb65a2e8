package bench_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// A run of few tasks at 10/s must report 10/s. Without warm-up the throughput is lower, because the
// makespan includes the last task's service.
func TestFenceposts(t *testing.T) {
	const rate, service = 10.0, 10 * time.Millisecond
	for _, n := range []int{1, 2, 5, 10} {
		for _, warmup := range []float64{0, 0.5} {
			for _, w := range []bench.Encoded{{Tasks: n},
				{Duration: time.Duration(n) * time.Second / rate}} {
				w.Strategy, w.Workload, w.Arrival, w.Rate, w.Limit, w.Warmup = "worker_pool",
					fmt.Sprintf("constant:mean=%v", service), "constant", rate, 1, warmup
				r := run(t, scenario(t, w))
				counted := n - int(warmup*float64(n))
				if r.Tasks != counted {
					t.Errorf("%s: %d tasks, want %d", r.Name, r.Tasks, counted)
				}
				checkNear(t, r, "offered-ops/s", rate, 1e-12)
				took := float64(counted) / rate
				if counted == n {
					took += service.Seconds()
				}
				checkNear(t, r, "ops/s", float64(counted)/took, 1e-12)
				checkNear(t, r, "ns/op", took*1e9/float64(counted), 1e-12)
			}
		}
	}
}

// Each Poisson arrival counts with the gap before it. Runs of a given duration divide by the
// duration.
func TestFencepostsOfChance(t *testing.T) {
	rate, seeds := 10.0, float64(100)
	if testing.Short() {
		seeds = 20
	}
	for _, n := range []int{1, 2, 5, 10} {
		gap := 0.0
		for seed := range uint64(seeds) {
			r := run(t, scenario(t, bench.Encoded{Workload: "constant:mean=1ms", Rate: rate,
				Limit: 4, Tasks: n, Seed: seed}))
			gap += 1 / metric(t, r, "offered-ops/s") / seeds
			w := bench.Encoded{Workload: "constant:mean=1ms", Rate: rate, Limit: 4,
				Duration: time.Duration(n) * time.Second, Seed: seed}
			r = run(t, scenario(t, w))
			checkNear(t, r, "offered-ops/s", float64(r.Tasks)/float64(n), 1e-12)
		}
		if off := math.Abs(gap*rate - 1); off > 4/math.Sqrt(float64(n)*seeds) {
			t.Errorf("%d tasks: the mean time between them is %v s, want %v", n, gap, 1/rate)
		}
	}
}

func TestFencepostsOfBulks(t *testing.T) {
	for _, warmup := range []float64{0, 0.1, 0.3, 0.55} {
		for _, w := range []bench.Encoded{{Tasks: 200}, {Duration: 2 * time.Second}} {
			w.Workload, w.Arrival, w.Limit, w.Warmup = "constant:mean=1ms",
				"bulk:n=100,period=1s", 4, warmup
			checkNear(t, run(t, scenario(t, w)), "offered-ops/s", 100, 1e-9)
		}
	}
}

func TestFencepostsOfClients(t *testing.T) {
	for _, n := range []int{1, 2, 5, 10} {
		for _, w := range []bench.Encoded{{Tasks: n},
			{Duration: time.Duration(n) * 10 * time.Millisecond}} {
			w.Workload, w.Arrival, w.Limit = "constant:mean=10ms", "closed:clients=1,think=0s", 4
			r := run(t, scenario(t, w))
			checkNear(t, r, "offered-ops/s", 100, 1e-12)
			checkNear(t, r, "ops/s", 100, 1e-12)
		}
	}
	r := run(t, scenario(t, bench.Encoded{Workload: "constant:mean=10ms", Limit: 4, Warmup: 0.1,
		Arrival: "closed:clients=8,think=0s", Tasks: 200})) // half of the clients wait
	checkNear(t, r, "offered-ops/s", metric(t, r, "ops/s"), 1e-12)
}

// At a load below 1 the throughput must equal the arrival rate, even if the warm-up ends with a
// queue.
func TestThroughputOfRates(t *testing.T) {
	worked, grew := 0, 0
	for seed := range uint64(20) {
		for load, grows := range map[float64]*int{0.99: &worked, 1.5: &grew} {
			r := run(t, scenario(t, bench.Encoded{Strategy: "semaphore", Limit: 4, Load: load,
				Workload: "exponential:mean=5ms", Tasks: 1000, Warmup: 0.1, Seed: seed}))
			done, arrived := metric(t, r, "ops/s"), metric(t, r, "offered-ops/s")
			switch {
			case done > arrived*(1+1e-12):
				t.Errorf("%s, seed %d: %v completed of %v", r.Name, seed, done, arrived)
			case (done < arrived) == (load > 1):
				*grows++
			}
		}
	}
	if worked == 0 || grew < 20 {
		t.Errorf("%d of 20 runs worked a backlog off, and the queue grew in %d", worked, grew)
	}
}
