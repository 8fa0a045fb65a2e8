package builtin_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/poolbench/poolbench/strategies"
)

// errgroup allocates in Group.Go, and a hedge needs two contexts and a timer.
func TestNoAllocation(t *testing.T) {
	for _, spec := range strategies.All() {
		if spec.Hedges {
			continue
		}
		done := make(chan struct{}, 1)
		sink := strategies.SinkFunc(func(*strategies.Task, strategies.Result) {
			done <- struct{}{}
		})
		s := spec.New(t.Context(), params(spec, 2, 2), sink)
		task := &strategies.Task{Run: nothing}
		got := testing.AllocsPerRun(1000, func() {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			<-done
		})
		want := 0.0
		if spec.Name == "errgroup" || spec.Name == "errgroup_limit" {
			want = 1
		}
		if got != want {
			t.Errorf("%s: %v allocations per task, want %v", spec.Name, got, want)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Data that a strategy keeps in a task must not refer to an earlier instance.
func TestTaskOnOtherInstances(t *testing.T) {
	task := &strategies.Task{Run: nothing}
	for range 2 {
		for _, spec := range strategies.All() {
			for range 2 {
				done := make(chan *strategies.Task, 1)
				s := spec.New(t.Context(), params(spec, 1, 1),
					strategies.SinkFunc(func(t *strategies.Task,
						_ strategies.Result) {
						done <- t
					}))
				if err := s.Submit(t.Context(), task); err != nil {
					t.Fatalf("%s: %v", spec.Name, err)
				}
				if err := s.Drain(t.Context()); err != nil {
					t.Fatalf("%s: %v", spec.Name, err)
				}
				if len(done) != 1 {
					t.Fatalf("%s: the task was not done here", spec.Name)
				}
			}
		}
	}
}

func TestWorkersAreReplaced(t *testing.T) {
	ends := []func(context.Context, *strategies.Task) strategies.Result{
		func(context.Context, *strategies.Task) strategies.Result { panic("ends its worker") },
		func(context.Context, *strategies.Task) strategies.Result {
			runtime.Goexit()
			return strategies.Result{}
		},
	}
	for _, run := range ends {
		synctest.Test(t, func(t *testing.T) {
			spec, err := strategies.Lookup("worker_pool")
			if err != nil {
				t.Fatal(err)
			}
			log := newLog(100)
			s := spec.New(t.Context(), strategies.Params{Limit: 4}, log)
			for range 100 {
				if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
					t.Fatal(err)
				}
			}
			if workers := workersLeft(); workers != 4 {
				t.Errorf("%d workers are left of 4", workers)
			}
			if len(log.done) != 100 {
				t.Errorf("%d of 100 tasks are done", len(log.done))
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
