package builtin_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// With the default for delayed, most clauses never fill the queue.
func TestRetryQueueSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	spec, _ := variant(t, "retry_queue", 1, 0)
	spec.Keys = slices.Clone(spec.Keys)
	for _, delayed := range []string{"0", "3"} {
		for i := range spec.Keys {
			if spec.Keys[i].Name == "delayed" {
				spec.Keys[i].Default = delayed
			}
		}
		t.Run("delayed="+delayed, func(t *testing.T) { strategytest.Run(t, spec) })
	}
}

func TestRetryQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "retry_queue:delayed=5,base=0s", 2, 3)
		log := newLog(11)
		s := spec.New(t.Context(), p, log)
		for range 10 {
			// five rounds of 1 ms; all are due between 1001 and 1005 ms
			accept(t, s, &newFlaky(2, time.Second).Task)
		}
		time.Sleep(100 * ms)
		accept(t, s, &newFlaky(1, 0).Task)
		if at := time.Since(log.start); at != 1002*ms {
			t.Errorf("there was room at %v", at)
		}
		drainAll(t, s)
	})
}

func TestRetryQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "retry_queue:base=0s", 1, 100)
		log := newLog(8)
		s := spec.New(t.Context(), p, log)
		var waits []*flaky
		for i, at := range []time.Duration{50, 30, 40, 30, 10} {
			// due time in ms; attempt i ends at i+1 ms
			f := newFlaky(2, at*ms-time.Duration(i+1)*ms)
			waits = append(waits, f)
			accept(t, s, &f.Task)
		}
		time.Sleep(9 * ms)
		queued := sleeps(3, ms) // run from 9 to 12 ms
		for i := range queued {
			accept(t, s, &queued[i])
		}
		drainAll(t, s)
		for i, want := range []time.Duration{50, 30, 40, 31, 12} {
			if got := waits[i].spans[1][0]; got != want*ms {
				t.Errorf("task %d came back at %v, want %v", i, got, want*ms)
			}
		}
	})
}

func TestRetryQueueGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "retry_queue", 4, 0)
		s := spec.New(t.Context(), p, newLog(1000))
		synctest.Wait()
		idle := runtime.NumGoroutine()
		for range 1000 {
			accept(t, s, &newFlaky(2, time.Hour).Task)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > idle {
			t.Errorf("%d goroutines with 1000 tasks in backoff, %d when idle", n, idle)
		}
		drainAll(t, s)
	})
}

// At the deadline, tasks run, are ready again, wait for a slot or are in backoff. Six of twelve
// abandoned tasks have never run.
func TestRetryQueueAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "retry_queue:base=0s", 2, 100)
		log := newLog(14)
		s := spec.New(t.Context(), p, log)
		for range 4 {
			accept(t, s, &newFlaky(0, time.Hour).Task) // in backoff from 1 or 2 ms on
		}
		for range 2 {
			accept(t, s, &newFlaky(0, 2*ms).Task) // fail at 3 ms, ready at 5 ms
		}
		long := sleeps(8, 7*ms) // two run from 3 to 10 ms, six wait
		for i := range long {
			accept(t, s, &long[i])
		}
		ctx, cancel := context.WithTimeout(t.Context(), 9*ms)
		defer cancel()
		var e *strategies.DrainError
		if err := s.Drain(ctx); !errors.As(err, &e) ||
			*e != (strategies.DrainError{Abandoned: 6, Cause: context.DeadlineExceeded}) {
			t.Errorf("Drain: %v", err)
		}
		got := make(map[entry]int)
		for range 14 {
			e := <-log.done
			got[entry{nil, e.at, e.err}]++
		}
		if got[entry{nil, 9 * ms, strategies.ErrAbandoned}] != 12 ||
			got[entry{nil, 10 * ms, nil}] != 2 {
			t.Errorf("done: %v", got)
		}
	})
}

// The maximum duration must not overflow to a short wait.
func TestRetryAfterMaximum(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 0)
			log := newLog(1)
			ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
			defer cancel()
			s := spec.New(ctx, p, log)
			f := newFlaky(0, math.MaxInt64)
			accept(t, s, &f.Task)
			drainAll(t, s)
			if e := <-log.done; len(f.spans) != 1 || e.at != 1000*time.Hour ||
				e.err != context.DeadlineExceeded {
				t.Errorf("%d attempts, done at %v with %v", len(f.spans), e.at, e.err)
			}
		})
	})
}
