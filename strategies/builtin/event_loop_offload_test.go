package builtin_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// The sink has no lock, so -race reports concurrent calls.
func TestCompletionsOnOneLoop(t *testing.T) {
	for _, abandon := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, "event_loop_offload", 8, 100)
			seen, done, abandoned := map[string]bool{}, 0, 0
			s := spec.New(t.Context(), p,
				strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) {
					seen[goroutine()] = true
					done++
					if r.Err == strategies.ErrAbandoned {
						abandoned++
					}
				}))
			run := func(_ context.Context, task *strategies.Task) strategies.Result {
				time.Sleep(time.Millisecond)
				if task.Arg.(int)%5 == 0 {
					panic("ends its task")
				}
				return strategies.Result{}
			}
			var producers sync.WaitGroup
			for i := range 16 {
				producers.Go(func() {
					for range 50 {
						if err := s.Submit(t.Context(),
							&strategies.Task{Run: run, Arg: i}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			producers.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if abandon {
				cancel()
			}
			var e *strategies.DrainError
			if err := s.Drain(ctx); errors.As(err, &e) != abandon || abandon &&
				e.Abandoned != abandoned || abandon != (abandoned > 0) {
				t.Errorf("%d tasks abandoned; Drain: %v", abandoned, err)
			}
			if done != 16*50 || len(seen) != 1 {
				t.Errorf("%d tasks of %d were reported, by %d goroutines", done, 16*50, len(seen))
			}
		})
	}
}

// Done blocks for 10 ms. The worker must continue meanwhile, and unprocessed completions must count
// against the capacity.
func TestWorkersDoNotWaitForTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "event_loop_offload", 1, 2)
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(*strategies.Task,
				strategies.Result) {
				time.Sleep(10 * time.Millisecond)
			}))
		start := time.Now()
		var began, accepted []time.Duration
		run := func(context.Context, *strategies.Task) strategies.Result {
			began = append(began, time.Since(start))
			time.Sleep(time.Millisecond)
			return strategies.Result{}
		}
		for range 6 {
			if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
				t.Fatal(err)
			}
			accepted = append(accepted, time.Since(start))
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Capacity is returned before each Done, at 1 ms and then every 10 ms.
		equalMS(t, "accepted", accepted, 0, 0, 0, 1, 11, 21)
		equalMS(t, "began", began, 0, 1, 2, 3, 11, 21)
	})
}

func equalMS(t *testing.T, what string, got []time.Duration, want ...int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v ms", what, got, want)
	}
	for i := range want {
		if got[i] != time.Duration(want[i])*time.Millisecond {
			t.Errorf("%s: %v, want %v ms", what, got, want)
			return
		}
	}
}
