package builtin_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestQuantum(t *testing.T) {
	for _, name := range []string{"partitioned", "partitioned_all_at_once"} {
		for call, want := range map[string]time.Duration{name: time.Millisecond,
			name + ":quantum=5ms": 5 * time.Millisecond} {
			if spec, p := variant(t, call, 4, 0); spec.Quantum(p) != want {
				t.Errorf("%s: quantum %v, want %v", call, spec.Quantum(p), want)
			}
		}
		checkValidate(t, name+":quantum=0s", 4,
			"strategy "+name+": quantum: want a duration above 0")
	}
}

func TestShortTasksPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "partitioned", 1, 10)
		log := newLog(10)
		s := spec.New(t.Context(), p, log)
		var order []byte
		long := namedSteps('l', 100, &order)
		if err := s.Submit(t.Context(), long); err != nil {
			t.Fatal(err)
		}
		time.Sleep(250 * time.Microsecond)
		for range 9 {
			time.Sleep(10 * time.Millisecond)
			if err := s.Submit(t.Context(), namedSteps('s', 1, &order)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 9 {
			// It arrives at 10(i+1)+0.25 ms, waits 0.75 ms for the end of a step, and takes 1 ms.
			if e, want := <-log.done, time.Duration(10*(i+1)+2)*time.Millisecond; e.at != want {
				t.Errorf("short task %d was done at %v, want %v", i, e.at, want)
			}
		}
		if e := <-log.done; e != (entry{long, 109 * time.Millisecond, nil}) {
			t.Errorf("the long task: %+v", e)
		}
	})
}

// With ideal processor sharing, these tasks end at 3, 5 and 7 ms. With a quantum of 0.1 ms, they
// end up to two quanta earlier.
func TestProcessorSharing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const quantum = 100 * time.Microsecond
		spec, p := variant(t, "partitioned:quantum=100us", 1, 10)
		log := newLog(3)
		s := spec.New(t.Context(), p, log)
		for _, length := range []time.Duration{1, 2, 4} {
			left := length * time.Millisecond
			run := func(context.Context, *strategies.Task) strategies.Result {
				time.Sleep(quantum)
				left -= quantum
				return strategies.Result{More: left > 0}
			}
			if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []time.Duration{3*time.Millisecond - 2*quantum,
			5*time.Millisecond - quantum, 7 * time.Millisecond} {
			if e := <-log.done; e.at != want {
				t.Errorf("done at %v, want %v", e.at, want)
			}
		}
	})
}

func TestStepsAllocateNothing(t *testing.T) {
	for _, call := range []string{"partitioned", "event_loop"} {
		spec, p := variant(t, call, 2, 10)
		done := make(chan struct{}, 2)
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		var left [2]int
		var tasks [2]strategies.Task
		for i := range tasks {
			tasks[i] = strategies.Task{Arg: &left[i],
				Run: func(_ context.Context, t *strategies.Task) strategies.Result {
					*t.Arg.(*int)--
					return strategies.Result{More: *t.Arg.(*int) > 0}
				}}
		}
		got := testing.AllocsPerRun(1000, func() {
			for i := range tasks {
				left[i] = 20
				if err := s.Submit(t.Context(), &tasks[i]); err != nil {
					t.Fatal(err)
				}
			}
			<-done
			<-done
		})
		if got != 0 {
			t.Errorf("%s: %v allocations in 40 steps", call, got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestBlockedAllocatesNothing(t *testing.T) {
	spec, p := variant(t, "partitioned", 1, 0)
	s := spec.New(t.Context(), p, strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	tasks := make([]strategies.Task, 3)
	for i := range tasks {
		tasks[i].Run = nothing
	}
	next := 0
	got := testing.AllocsPerRun(2000, func() {
		// There is room for one task, so this task is done when two later ones are accepted.
		if err := s.Submit(t.Context(), &tasks[next]); err != nil {
			t.Fatal(err)
		}
		next = (next + 1) % len(tasks)
	})
	if got != 0 {
		t.Errorf("%v allocations per blocked Submit", got)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
