package bench_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench"
)

// TestComputingTasksHaveTheirPool has a batch of tasks that compute and tasks that wait in a pool
// for each: a run reports the response of either kind, and those that compute do not stand behind
// the others.
func TestComputingTasksHaveTheirPool(t *testing.T) {
	// Some 30 computations of 0.1 ms have a slot, and some 90 waits of 5 ms have two: a quarter of
	// a second.
	w := bench.Written{Strategy: "cpu_io_split:cpu=1",
		Workload: "cpu_io:p=0.25,cpu=100us,wait=const(5ms)", Arrival: "batch", Clock: "real",
		Limit: 3, Queue: 200, Tasks: 120}
	r := run(t, scenario(t, w))
	computing, waiting := metric(t, r, "cpu-mean-response-sec"),
		metric(t, r, "io-mean-response-sec")
	if !(computing < waiting) {
		// in one line, where a computation is anywhere, both would have half of the whole time
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
