package builtin_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestCodelParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"codel_lifo": "",
		"codel_lifo:target=0s": "strategy codel_lifo: target must be above 0 and " +
			"at most the interval",
		"codel_lifo:target=20ms,interval=10ms": "strategy codel_lifo: target must be above 0 and " +
			"at most the interval",
		"codel_lifo:target=10ms,interval=10ms": "",
	})
}

type outcome struct {
	comes, done time.Duration
	err         error
}

// checkOutcomes submits tasks of 1 ms while another task occupies the only slot until free.
func checkOutcomes(t *testing.T, free time.Duration, want []outcome) {
	t.Helper()
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		log := newLog(len(want) + 1)
		s := startVariant(t, "codel_lifo", 1, len(want), log)
		holds := sleeps(1, free*ms)
		submit(t, s, holds)
		tasks := sleeps(len(want), ms)
		number := map[*strategies.Task]int{}
		for i, f := range want {
			time.Sleep(f.comes*ms - time.Since(log.start))
			number[&tasks[i]] = i
			submit(t, s, tasks[i:i+1])
			synctest.Wait()
		}
		time.Sleep(time.Second)
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		for range len(want) + 1 {
			e := <-log.done
			if e.task == &holds[0] {
				continue
			}
			f := want[number[e.task]]
			if e.at != f.done*ms || !errors.Is(e.err, f.err) {
				t.Errorf("the task that came at %v was done at %v with error %v, want %v and %v",
					f.comes*ms, e.at, e.err, f.done*ms, f.err)
			}
		}
	})
}

// A task may wait for 5 ms if the queue was not empty in the 100 ms before its arrival, else for
// 100 ms. The queue is empty at 130 and 300 ms.
func TestCodelSheds(t *testing.T) {
	checkOutcomes(t, 1000, []outcome{
		{0, 100, strategies.ErrShed},
		{30, 130, strategies.ErrShed},
		{99, 199, strategies.ErrShed}, // last task before the overload
		{100, 105, strategies.ErrShed},
		{120, 125, strategies.ErrShed},
		{197, 202, strategies.ErrShed},
		{204, 304, strategies.ErrShed}, // the queue was empty at 202
		{303, 403, strategies.ErrShed},
		{304, 309, strategies.ErrShed},
	})
}

// The slot becomes free at 120 ms. The queue is never empty before.
func TestCodelOrder(t *testing.T) {
	checkOutcomes(t, 120, []outcome{
		{0, 100, strategies.ErrShed},
		{50, 123, nil},
		{114, 119, strategies.ErrShed},
		{116, 121, strategies.ErrShed},
		{117, 122, strategies.ErrShed},
		{118, 122, nil},
		{119, 121, nil},
	})
}

func TestCodelServesBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(100)
		s := startVariant(t, "codel_lifo", 1, 99, log)
		tasks := sleeps(100, time.Millisecond)
		submit(t, s, tasks)
		if err := s.Submit(t.Context(), &strategies.Task{Run: nothing}); !errors.Is(err,
			strategies.ErrShed) {
			t.Errorf("full, and Submit returned %v", err)
		}
		for i := range tasks {
			if e, at := <-log.done,
				time.Duration(i+1)*time.Millisecond; e != (entry{&tasks[i], at, nil}) {
				t.Errorf("task %d: done at %v with error %v, want %v", i, e.at, e.err, at)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Queued tasks are overdue at 100 ms, unless Drain is called earlier.
func TestCodelDrains(t *testing.T) {
	const us = time.Microsecond
	for _, test := range []struct {
		called, returned time.Duration
		shed             int
	}{
		{0, 300_000 * us, 0},
		{99_500 * us, 300_000 * us, 0},
		{100_500 * us, 100_500 * us, 200},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(300)
			s := startVariant(t, "codel_lifo", 1, 300, log)
			tasks := sleeps(300, time.Millisecond)
			submit(t, s, tasks)
			time.Sleep(test.called)
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if at := time.Since(log.start); at != test.returned {
				t.Errorf("Drain was called at %v and returned at %v, want %v", test.called,
					at, test.returned)
			}
			shed := 0
			for range tasks {
				if e := <-log.done; errors.Is(e.err, strategies.ErrShed) {
					shed++
				}
			}
			if shed != test.shed {
				t.Errorf("Drain was called at %v and %d tasks were shed, want %d",
					test.called, shed, test.shed)
			}
		})
	}
}

func TestCodelDrainDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(10)
		s := startVariant(t, "codel_lifo", 1, 9, log)
		tasks := sleeps(10, 50*time.Millisecond)
		submit(t, s, tasks)
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
		defer cancel()
		var e *strategies.DrainError
		if err := s.Drain(ctx); !errors.As(err, &e) ||
			*e != (strategies.DrainError{Abandoned: 8, Cause: context.DeadlineExceeded}) {
			t.Errorf("Drain: %v", err)
		}
		if at := time.Since(log.start); at != 100*time.Millisecond {
			t.Errorf("Drain returned at %v, want 100ms, when the running task ends", at)
		}
	})
}
