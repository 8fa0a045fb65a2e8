package bench_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func TestComputingTasksHaveTheirPool(t *testing.T) {
	// about 30 computations of 0.1 ms share one slot, and 90 waits of 5 ms share two: 0.25 s.
	w := bench.Encoded{Strategy: "cpu_io_split:cpu=1",
		Workload: "cpu_io:p=0.25,cpu=100us,wait=const(5ms)", Arrival: "batch", Clock: "real",
		Limit: 3, Queue: 200, Tasks: 120}
	r := run(t, scenario(t, w))
	computing, waiting := metric(t, r, "cpu-mean-response-sec"),
		metric(t, r, "io-mean-response-sec")
	if !(computing < waiting) {
		// in a single queue both classes have a mean of half the makespan
		t.Errorf("in a class pool of their own the tasks that compute have a mean response of %v s, "+
			"those that wait one of %v s", computing, waiting)
	}
	metric(t, r, "mean-slowdown")
	for _, m := range r.Metrics {
		if slices.Contains([]string{"short-mean-response-sec", "long-mean-response-sec"}, m.Unit) {
			t.Errorf("no task is short or long, and the run has %s", m.Unit)
		}
	}
}
