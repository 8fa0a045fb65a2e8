package bench_test

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// Few strategies, so that all benchmarks of this package run within a minute.
var (
	inVirtualTime = []string{"serial", "unbounded", "semaphore", "worker_pool",
		"bounded_queue_shed", "dispatcher", "errgroup_limit", "event_loop",
		"partitioned", "segregated", "shortest_first", "codel_lifo", "adaptive_aimd"}
	inRealTime = []string{"semaphore", "worker_pool"}
)

// Percentiles need more tasks: -benchtime 4000x takes 20 s per real-time benchmark.
func BenchmarkRun(b *testing.B) {
	for _, m := range []bench.Matrix{
		{Strategies: variants(b, inVirtualTime), Limits: []int{4}, Loads: []float64{0.8},
			Clock: bench.Virtual},
		{Strategies: variants(b, inRealTime), Limits: []int{4}, Loads: []float64{0.5},
			Clock: bench.Real},
	} {
		scenarios, err := m.Scenarios()
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range scenarios {
			b.Run(strings.TrimPrefix(s.Name(), "Run/"), func(b *testing.B) {
				bench.Benchmark(b, s)
			})
		}
	}
}

func variants(b *testing.B, names []string) (all []strategies.Variant) {
	b.Helper()
	for _, name := range names {
		v, err := strategies.Resolve(param.Call{Name: name})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// BenchmarkFrozenTarget repeats TestFrozenTarget under the real clock. The p95 response must be at
// least 380 ms and the p95 service below 2 ms. A harness that measures from the start of requests
// reports 1.4 ms for both. -benchtime 1x is enough.
func BenchmarkFrozenTarget(b *testing.B) {
	s := scenario(b, bench.Encoded{Strategy: "worker_pool", Workload: "constant:mean=1ms",
		Arrival: "constant", Clock: "real", Limit: 4, Rate: 200, Tasks: 1200}, withFreezes)
	var r *bench.Result
	for b.Loop() {
		r = run(b, s)
	}
	for _, reading := range r.Readings {
		h, err := hdrhistogram.Decode([]byte(reading.Histogram))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(h.ValueAtPercentile(95)), "p95-"+reading.Of+"-ns")
	}
}
