package workloads_test

import (
	"context"
	"testing"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// Only sorting may allocate: one slice per task.
func TestCPUTasksDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool drops items under the race detector")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for s, want := range map[string]float64{"cpu_sha256:blocks=600": 0, "cpu_gzip:pages=5": 0,
		"cpu_average:n=100000": 0, "cpu_random:bytes=20KiB": 0, "cpu_sort:n=100": 1} {
		w := build(t, s, 1)
		if n := testing.AllocsPerRun(100, func() {
			if err := w.Do(ctx, 1); err != nil {
				t.Error(err)
			}
		}); n != want {
			t.Errorf("%s: %v allocations a task, want %v", s, n, want)
		}
	}
}
