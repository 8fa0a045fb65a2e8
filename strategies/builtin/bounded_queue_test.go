package builtin_test

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestBackpressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(10)
		s := startVariant(t, "bounded_queue", 2, 3, log)
		tasks := sleeps(10, 10*ms)
		for i, want := range []time.Duration{0, 0, 0, 0, 0, 10, 10, 20, 20, 30} {
			if at := submitAt(t, s, log, 0, &tasks[i]); at != want*ms {
				t.Errorf("task %d was let in at %v, want %v", i, at, want*ms)
			}
		}
		for task, e := range drained(t, s, log) {
			for i := range tasks {
				if want := time.Duration(i/2+1) * 10 * ms; task == &tasks[i] && e.at != want {
					t.Errorf("task %d was done at %v, want %v", i, e.at, want)
				}
			}
		}
	})
}
