package builtin_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// The sink has no lock, so -race reports concurrent calls.
func TestOneCollector(t *testing.T) {
	const n = 2000
	seen := make(map[*strategies.Task]int)
	s := startVariant(t, "fan_out_fan_in", 8, 8,
		strategies.SinkFunc(func(t *strategies.Task, _ strategies.Result) {
			runtime.Gosched()
			seen[t]++
		}))
	tasks := make([]strategies.Task, n)
	for i := range tasks {
		tasks[i].Run = nothing
		if err := s.Submit(t.Context(), &tasks[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range tasks {
		if seen[&tasks[i]] != 1 {
			t.Fatalf("task %d was done %d times", i, seen[&tasks[i]])
		}
	}
}

// The sink blocks for 1 ms per result, so 100 tasks of 1 ms need 101 ms at any limit.
func TestSlowCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(100)
		s := startVariant(t, "fan_out_fan_in", 4, 0,
			strategies.SinkFunc(func(t *strategies.Task, r strategies.Result) {
				time.Sleep(ms)
				log.Done(t, r)
			}))
		tasks := sleeps(100, ms)
		var last time.Duration
		for i := range tasks {
			last = submitAt(t, s, log, 0, &tasks[i])
		}
		// 91 results are processed. Of the other eight, the collector has one, the channel four,
		// and waiting workers three.
		if want := 92 * ms; last != want {
			t.Errorf("the last task was let in at %v, want %v", last, want)
		}
		drained(t, s, log)
		if got := time.Since(log.start); got != 101*ms {
			t.Errorf("took %v", got)
		}
	})
}
