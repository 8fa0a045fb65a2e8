package builtin_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A task must start when enough units are free, but not before the start of the previous task.
func TestWeightedOrder(t *testing.T) {
	const limit, n = 6, 500
	type weighted struct {
		strategies.Task
		arrival, length, started time.Duration
	}
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 19))
		log := newLog(n)
		s := startVariant(t, "weighted_semaphore", limit, 0, log)
		all := make([]weighted, n)
		at := time.Duration(0)
		for i := range all {
			at += time.Duration(random.ExpFloat64() * float64(3*time.Millisecond))
			w := &all[i]
			w.arrival, w.length = at, time.Duration(random.ExpFloat64()*float64(5*time.Millisecond))
			w.Weight = int64(random.IntN(limit + 1))
			w.Run = func(context.Context, *strategies.Task) strategies.Result {
				w.started = time.Since(log.start)
				time.Sleep(w.length)
				return strategies.Result{}
			}
			go submitAt(t, s, log, w.arrival, &w.Task)
		}
		time.Sleep(time.Minute)
		if got := drained(t, s, log); len(got) != n {
			t.Fatalf("%d of %d tasks are done", len(got), n)
		}

		type holding struct {
			until time.Duration
			units int64
		}
		var held []holding // sorted by time of release
		free, previous, waited := int64(limit), time.Duration(0), 0
		for i, w := range all {
			start, units := max(w.arrival, previous), max(w.Weight, 1)
			for len(held) > 0 && (held[0].until <= start || free < units) {
				start = max(start, held[0].until)
				free += held[0].units
				held = held[1:]
			}
			if w.started != start {
				t.Fatalf("task %d of weight %d was started at %v, want %v", i, w.Weight,
					w.started, start)
			}
			if start > w.arrival {
				waited++
			}
			free -= units
			previous = start
			at, _ := slices.BinarySearchFunc(held, start+w.length,
				func(h holding, until time.Duration) int {
					return int(h.until - until)
				})
			held = slices.Insert(held, at, holding{start + w.length, units})
		}
		if waited < n/4 || waited == n {
			t.Errorf("%d of %d tasks had to wait, which shows little", waited, n)
		}
	})
}

// Tasks of weight 1 occupy all units until one that needs all units arrives at 10.5 ms.
func TestHeavyIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(100)
		s := startVariant(t, "weighted_semaphore", 4, 0, log)
		light := sleeps(40, 4*ms)
		for i := range light {
			go submitAt(t, s, log, time.Duration(i)*ms, &light[i])
		}
		heavy := &strategies.Task{Run: sleep, Arg: 4 * ms, Weight: 4}
		if at := submitAt(t, s, log, 10*ms+ms/2, heavy); at != 14*ms {
			t.Errorf("the heavy task was let in at %v, want 14ms", at)
		}
		time.Sleep(time.Second)
		got := drained(t, s, log)
		for i := range light {
			want := time.Duration(i+4) * ms
			if i > 10 { // four at a time, from 18 ms on
				want = 22*ms + time.Duration((i-11)/4)*4*ms
			}
			if at := got[&light[i]].at; at != want {
				t.Errorf("light task %d was done at %v, want %v", i, at, want)
			}
		}
	})
}

func TestWeightAboveTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(1)
		s := startVariant(t, "weighted_semaphore", 4, 0, log)
		closed := make(chan error)
		go func() {
			closed <- s.Submit(t.Context(), &strategies.Task{Run: sleep, Arg: ms, Weight: 5})
		}()
		light := sleeps(1, ms)
		go submitAt(t, s, log, ms, &light[0])

		ctx, cancel := context.WithTimeout(t.Context(), 5*ms)
		defer cancel()
		err := s.Submit(ctx, &strategies.Task{Run: sleep, Arg: ms, Weight: 5})
		if !errors.Is(err, context.DeadlineExceeded) ||
			!strings.Contains(err.Error(), "a weight of 5 is above the limit of 4") ||
			time.Since(log.start) != 5*ms {
			t.Errorf("after %v: %v", time.Since(log.start), err)
		}
		if got := drained(t, s, log); got[&light[0]].at != 2*ms {
			t.Errorf("a light task behind it was done at %v", got[&light[0]].at)
		}
		if err := <-closed; err != strategies.ErrClosed || time.Since(log.start) != 5*ms {
			t.Errorf("at Drain: after %v: %v", time.Since(log.start), err)
		}
	})
}

// The context was used before, so only the semaphore allocates.
func TestWeightedWaitAllocates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{}, 2)
		s := startVariant(t, "weighted_semaphore", 1, 0,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		first, second := &strategies.Task{Run: sleep, Arg: time.Millisecond},
			&strategies.Task{Run: nothing}
		allocations := func(tasks ...*strategies.Task) float64 {
			return testing.AllocsPerRun(100, func() {
				for _, task := range tasks {
					if err := s.Submit(t.Context(), task); err != nil {
						t.Fatal(err)
					}
				}
				for range tasks {
					<-done
				}
			})
		}
		alone := allocations(first) // its sleep
		if got := allocations(first, second) - alone; got != 3 {
			t.Errorf("%v allocations", got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWeightedContexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(100)
		s := startVariant(t, "weighted_semaphore", 1, 0, log)
		long, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		first := &strategies.Task{Run: sleep, Arg: 100 * ms}
		submitAt(t, s, log, 0, first)
		for i := range 20 {
			ctx, want := long, error(nil)
			if i%2 == 0 {
				short, cancel := context.WithTimeout(t.Context(), time.Duration(50+i)*ms)
				defer cancel()
				ctx, want = short, context.DeadlineExceeded
			}
			go func() {
				err := s.Submit(ctx, &strategies.Task{Run: sleep, Arg: ms})
				at := 100*ms + time.Duration(i/2)*ms
				if want != nil {
					at = time.Duration(50+i) * ms
				}
				if got := time.Since(log.start); err != want || got != at {
					t.Errorf("Submit %d returned %v at %v, want %v at %v", i, err, got, want, at)
				}
			}()
			synctest.Wait()
		}
		time.Sleep(200 * ms)
		if got := drained(t, s, log); len(got) != 11 {
			t.Errorf("%d tasks are done", len(got))
		}
	})
}

func TestNegativeWeight(t *testing.T) {
	s := startVariant(t, "weighted_semaphore", 4, 0, newLog(1))
	func() {
		defer func() {
			if v, _ := recover().(string); !strings.Contains(v, "weight -1") {
				t.Errorf("panicked with %q", v)
			}
		}()
		_ = s.Submit(t.Context(), &strategies.Task{Run: nothing, Weight: -1})
	}()
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}
