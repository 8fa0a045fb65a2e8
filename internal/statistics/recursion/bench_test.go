package recursion

import (
	"fmt"
	"testing"
)

// One core of an EPYC processes about 100 million tasks/s with 4 slots, 80 with 16, 40 with 32, and
// 20 with 1024.
func BenchmarkRun(b *testing.B) {
	const n = 100_000
	for _, limit := range []int{1, 2, 4, 8, 16, 32, 64, 1024} {
		due, service := plan(n, 0.9, limit, 7)
		for _, queue := range []int{NeverFull, 8 * limit} {
			b.Run(fmt.Sprintf("limit=%d/queue=%d", limit, queue), func(b *testing.B) {
				var p Pool
				for b.Loop() {
					p.Run(due, service, limit, queue)
				}
				b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mtasks/s")
			})
		}
	}
}
