package bench_test

import (
	"fmt"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// BenchmarkLag reports the generator's lateness. Its tasks only wait, so the generator has its
// processor to itself.
func BenchmarkLag(b *testing.B) {
	for _, rate := range []float64{100, 300, 1000} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			r := run(b, scenario(b, bench.Encoded{Strategy: "worker_pool", Limit: 16, Rate: rate,
				Tasks: max(b.N, 400), Clock: "real"}))
			b.ReportMetric(1e9*metric(b, r, "p99-lag-sec"), "p99-lag-ns")
		})
	}
}
