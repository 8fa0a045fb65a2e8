package bench_test

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// Representatives stand for the ways to bound: with the default -benchtime a benchmark takes a
// second and a half, and all of this package are to take a minute. `poolbench run --strategy all`
// runs every strategy.
var (
	inVirtualTime = []string{"serial", "unbounded", "semaphore", "worker_pool",
		"bounded_queue_shed", "dispatcher", "errgroup_limit", "event_loop",
		"partitioned", "segregated", "shortest_first", "codel_lifo", "adaptive_aimd"}
	inRealTime = []string{"semaphore", "worker_pool"}
)

// BenchmarkRun is a matrix of scenarios in the Go benchmark format: `go test -bench . ./bench`
// prints what `poolbench run` writes, times in nanoseconds. Quantiles need tasks: -benchtime 4000x
// takes 20 s for each that runs in real time.
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

// BenchmarkFrozenTarget is TestFrozenTarget under the real clock: 200 tasks of 1 ms a second, for 6
// s, 4 at once, against a target that is frozen for 500 ms of every 2 s. The p95 of the response
// has to be 380 ms or more, while that of the service stays below 2 ms; a harness that counts from
// the issue reports 1.4 ms for both. -benchtime 1x is enough.
func BenchmarkFrozenTarget(b *testing.B) {
	s := scenario(b, bench.Written{Strategy: "worker_pool", Workload: "constant:mean=1ms",
		Arrival: "constant", Clock: "real", Limit: 4, Rate: 200, Tasks: 1200}, freezing)
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
