package builtin_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func newStrategy(
	t *testing.T, name string, p strategies.Params, sink strategies.Sink,
) strategies.Strategy {
	t.Helper()
	spec, err := strategies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return spec.New(t.Context(), p, sink)
}

// At load 0.9 on four slots, all starts must equal the Kiefer–Wolfowitz recursion to the
// nanosecond. The queue grows to many pages and shrinks again.
func TestDispatcherIsExact(t *testing.T) {
	const n, limit = 20_000, 4
	type record struct{ due, service, start time.Duration }
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		records, tasks := make([]record, n), make([]strategies.Task, n)
		begin, due := time.Now(), time.Duration(0)
		run := func(_ context.Context, t *strategies.Task) strategies.Result {
			r := t.Arg.(*record)
			r.start = time.Since(begin)
			time.Sleep(r.service)
			return strategies.Result{}
		}
		s := newStrategy(t, "dispatcher", strategies.Params{Limit: limit, Queue: n},
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
		for i := range records {
			due += time.Duration(random.ExpFloat64() * float64(time.Millisecond) / (0.9 * limit))
			records[i] = record{due: due,
				service: time.Duration(random.ExpFloat64() * float64(time.Millisecond))}
			tasks[i] = strategies.Task{Run: run, Arg: &records[i]}
			time.Sleep(due - time.Since(begin))
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		var free [limit]time.Duration // when each slot becomes free, in ascending order
		longest := time.Duration(0)
		for i, r := range records {
			want := max(r.due, free[0])
			if r.start != want {
				t.Errorf("task %d started at %v, want %v", i, r.start, want)
			}
			longest = max(longest, want-r.due)
			free[0] = want + r.service
			slices.Sort(free[:])
		}
		if longest < 10*time.Millisecond {
			t.Errorf("no task waited for longer than %v: the queue was never long", longest)
		}
	})
}

// A full instance must accept a task when another ends, and shed it before.
func TestDispatcherAcceptsWithRoom(t *testing.T) {
	const limit, room, n = 2, 100, 250
	acceptance := func(i int) time.Duration { // two tasks end every millisecond
		return time.Duration(max(0, i-room+limit)/limit) * time.Millisecond
	}
	p := strategies.Params{Limit: limit, Queue: room - limit}
	for _, name := range []string{"dispatcher", "dispatcher_shed"} {
		synctest.Test(t, func(t *testing.T) {
			log, tasks := newLog(n), sleeps(n, time.Millisecond)
			s := newStrategy(t, name, p, log)
			for i := range tasks {
				err := s.Submit(t.Context(), &tasks[i])
				for errors.Is(err, strategies.ErrShed) {
					time.Sleep(time.Millisecond / 4)
					synctest.Wait() // for other events at this instant
					err = s.Submit(t.Context(), &tasks[i])
				}
				if err != nil {
					t.Fatal(err)
				}
				if got, want := time.Since(log.start), acceptance(i); got != want {
					t.Errorf("%s: task %d was accepted at %v, want %v", name, i, got, want)
				}
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if got := time.Since(log.start); got != n/limit*time.Millisecond {
				t.Errorf("%s: the last was done at %v", name, got)
			}
		})
	}
}

// If a worker or a blocked Submit misses a wake-up, the test hangs.
func TestDispatcherLosesNoWake(t *testing.T) {
	const rounds = 500
	for _, p := range []strategies.Params{{Limit: 1}, {Limit: 2}, {Limit: 1, Queue: 2},
		{Limit: 3, Queue: 1}, {Limit: 8}, {Limit: 2, Queue: 100}} {
		s := newStrategy(t, "dispatcher", p,
			strategies.SinkFunc(func(t *strategies.Task, _ strategies.Result) {
				t.Arg.(chan struct{}) <- struct{}{}
			}))
		var clients sync.WaitGroup
		for c := range 8 {
			clients.Go(func() {
				task := strategies.Task{Run: nothing, Arg: make(chan struct{}, 1)}
				if c%2 == 1 {
					task.Run = func(context.Context, *strategies.Task) strategies.Result {
						runtime.Gosched()
						return strategies.Result{}
					}
				}
				for range rounds {
					if err := s.Submit(t.Context(), &task); err != nil {
						t.Error(err)
						return
					}
					<-task.Arg.(chan struct{})
				}
			})
		}
		clients.Wait()
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestDispatcherWaitsWithoutAllocation(t *testing.T) {
	const n = 10
	done := make(chan struct{}, n)
	s := newStrategy(t, "dispatcher", strategies.Params{Limit: 1},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
	tasks := make([]strategies.Task, n)
	for i := range tasks {
		tasks[i].Run = func(context.Context, *strategies.Task) strategies.Result {
			runtime.Gosched()
			return strategies.Result{}
		}
	}
	got := testing.AllocsPerRun(100, func() {
		for i := range tasks {
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		for range tasks {
			<-done
		}
	})
	if got != 0 {
		t.Errorf("%v allocations for %d tasks", got, n)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
