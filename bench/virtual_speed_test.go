package bench_test

import (
	"runtime"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine"
)

// Tasks per CPU second of a virtual M/M/4 run at load 0.8. -benchtime 2000000x is a long run.
func BenchmarkVirtualSpeed(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	s := scenario(b, bench.Encoded{Strategy: "worker_pool", Limit: 4, Load: 0.8, Tasks: b.N})
	before := machine.CPUTime()
	run(b, s)
	b.ReportMetric(float64(b.N)/(float64(machine.CPUTime()-before)/1e9), "tasks/cpu-s")
}
