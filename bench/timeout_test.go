package bench_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// TestTimeout: a task that runs for longer than the timeout is cancelled to the nanosecond, and has
// failed.
func TestTimeout(t *testing.T) {
	w := bench.Written{Workload: "bimodal:p=0.25,short=1ms,long=50ms", Arrival: "constant",
		Limit: 8, Rate: 100, Tasks: 1000, Timeout: 10 * time.Millisecond}
	r := run(t, scenario(t, w))
	long := metric(t, r, "failed/op")
	if long < 0.2 || long > 0.3 {
		t.Errorf("%v of the tasks failed, where a quarter takes too long", long)
	}
	if got := metric(t, r, "max-response-sec"); got != 1e-3 {
		t.Errorf("a task that completed took %v s", got)
	}
	// The busy time of all is known: 1 ms of those that completed, 10 ms of those that were
	// cancelled.
	want := (1e-3*(1-long) + 10e-3*long) * 1000 / (8 * metric(t, r, "makespan-sec"))
	if got := metric(t, r, "utilisation"); got < want*0.9999 || got > want*1.0001 {
		t.Errorf("utilisation %v, want %v", got, want)
	}
}

// TestTimeoutBoundsEvil: tasks that never end hold their slots until the timeout, and the run
// ends.
func TestTimeoutBoundsEvil(t *testing.T) {
	w := bench.Written{Workload: "evil:p=0.1,wait=const(1ms)", Arrival: "batch", Limit: 4,
		Tasks: 1000, Timeout: time.Second}
	r := run(t, scenario(t, w))
	evil := metric(t, r, "failed/op")
	if evil < 0.07 || evil > 0.13 {
		t.Errorf("%v of the tasks failed, where a tenth never ends", evil)
	}
	if makespan := metric(t, r, "makespan-sec"); makespan < 250*evil || makespan > 250*evil+1.3 {
		t.Errorf("%v of 1000 tasks held one of 4 slots for 1 s each, and the run took %v s", evil,
			makespan)
	}
}
