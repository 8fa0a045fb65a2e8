package builtin_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

type log struct {
	start time.Time
	done  chan entry
}

type entry struct {
	task *strategies.Task
	at   time.Duration
	err  error
}

func newLog(n int) *log { return &log{time.Now(), make(chan entry, n)} }

func (l *log) Done(t *strategies.Task, r strategies.Result) {
	l.done <- entry{t, time.Since(l.start), r.Err}
}

func sleep(_ context.Context, t *strategies.Task) strategies.Result {
	time.Sleep(t.Arg.(time.Duration))
	return strategies.Result{}
}

func sleeps(n int, d time.Duration) []strategies.Task {
	tasks := make([]strategies.Task, n)
	for i := range tasks {
		tasks[i] = strategies.Task{Run: sleep, Arg: d}
	}
	return tasks
}

// params returns default parameters with the next limit that the strategy accepts, because class
// pools need a slot each.
func params(spec strategies.Spec, limit, n int) strategies.Params {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		panic(err)
	}
	p := strategies.Params{Limit: limit, Values: values}
	if spec.UsesQueue {
		p.Queue = n
	}
	for spec.Validate(p) != nil && p.Limit < limit+8 {
		p.Limit++
	}
	return p
}

func TestMakespan(t *testing.T) {
	for _, spec := range strategies.All() {
		if !spec.WorkConserving {
			continue
		}
		for _, limit := range []int{1, 3, 8, 1000} {
			synctest.Test(t, func(t *testing.T) {
				const n = 1000
				p := params(spec, limit, n)
				log := newLog(n)
				s := spec.New(t.Context(), p, log)
				tasks := sleeps(n, time.Millisecond)
				for i := range tasks {
					if err := s.Submit(t.Context(), &tasks[i]); err != nil {
						t.Fatalf("task %d: %v", i, err)
					}
				}
				if err := s.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				rounds := 1.0
				if spec.Bound != nil {
					rounds = math.Ceil(n / float64(spec.Bound(p)))
				}
				if got, want := time.Since(log.start),
					time.Duration(rounds)*time.Millisecond; got != want {
					t.Errorf("%s, limit %d: %d tasks of 1ms took %v, want %v", spec.Name,
						limit, n, got, want)
				}
			})
		}
	}
}

// If the long task starts early, the other slots serve the 511 tasks of 1 ms in ⌈511/7⌉ = 73 ms.
// Batches assigned to workers in advance would need 1.06 s.
func TestOneLongTask(t *testing.T) {
	for _, spec := range strategies.All() {
		if p := params(spec, 8, 512); spec.Bound == nil || spec.Bound(p) != 8 ||
			!spec.WorkConserving {
			continue
		}
		for _, position := range []int{0, 1, 7, 8, 31} {
			synctest.Test(t, func(t *testing.T) {
				log := newLog(512)
				s := spec.New(t.Context(), params(spec, 8, 512), log)
				tasks := sleeps(512, time.Millisecond)
				tasks[position].Arg = time.Second
				for i := range tasks {
					if err := s.Submit(t.Context(), &tasks[i]); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				var last time.Duration
				for range tasks {
					if e := <-log.done; e.task != &tasks[position] {
						last = max(last, e.at)
					}
				}
				if last != 73*time.Millisecond {
					t.Errorf("%s, long task at %d: the last short one was done at %v",
						spec.Name, position, last)
				}
			})
		}
	}
}

// By the deadline at 9 ms, four rounds of 2 ms are done. The fifth ignores the cancellation until
// 10 ms.
func TestDrainCounts(t *testing.T) {
	for _, name := range []string{"worker_pool", "bounded_queue", "bounded_queue_shed",
		"draining_pool", "fan_out_fan_in", "pipeline",
		"event_loop_offload", "partitioned", "partitioned_all_at_once", "segregated",
		"cpu_io_split"} {
		spec, err := strategies.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			log := newLog(60)
			s := spec.New(t.Context(), params(spec, 4, 56), log)
			tasks := sleeps(60, 2*time.Millisecond)
			for i := range tasks {
				if err := s.Submit(t.Context(), &tasks[i]); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 9*time.Millisecond)
			defer cancel()
			var e *strategies.DrainError
			if err := s.Drain(ctx); !errors.As(err, &e) ||
				*e != (strategies.DrainError{Abandoned: 40, Cause: context.DeadlineExceeded}) {
				t.Errorf("%s: Drain: %v", name, err)
			}
			if at := time.Since(log.start); at != 10*time.Millisecond {
				t.Errorf("%s: Drain returned at %v", name, at)
			}
			got := make(map[entry]int)
			for range tasks {
				e := <-log.done
				got[entry{nil, e.at, e.err}]++
			}
			want := map[entry]int{{at: 9 * time.Millisecond, err: strategies.ErrAbandoned}: 40}
			for round := range 5 {
				want[entry{at: time.Duration(2*(round+1)) * time.Millisecond}] = 4
			}
			for e, n := range want {
				if got[e] != n {
					t.Errorf("%s: %d tasks were done at %v with error %v, want %d", name,
						got[e], e.at, e.err, n)
				}
			}
		})
	}
}

func TestStepsEndWithContext(t *testing.T) {
	runs := 0
	started := make(chan struct{}, 1)
	step := func(context.Context, *strategies.Task) strategies.Result {
		if runs++; runs == 1 {
			started <- struct{}{}
		}
		time.Sleep(2 * time.Millisecond)
		return strategies.Result{More: true}
	}
	parts := sleeps(100, 2*time.Millisecond)
	split := func(context.Context, *strategies.Task) strategies.Result {
		started <- struct{}{}
		r := strategies.Result{}
		for i := range parts {
			r.Split = append(r.Split, &parts[i])
		}
		return r
	}
	for _, spec := range strategies.All() {
		for _, run := range []func(context.Context, *strategies.Task) strategies.Result{step,
			split} {
			synctest.Test(t, func(t *testing.T) {
				runs, started = 0, make(chan struct{}, 1)
				log := newLog(1)
				s := spec.New(t.Context(), params(spec, 1, 0), log)
				if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
					t.Fatal(err)
				}
				<-started
				log.start = time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 9*time.Millisecond)
				defer cancel()
				var e *strategies.DrainError
				if err := s.Drain(ctx); !errors.As(err, &e) || e.Abandoned != 0 || e.Running != 0 {
					t.Errorf("%s: Drain: %v", spec.Name, err)
				}
				if e := <-log.done; e.at != 10*time.Millisecond ||
					e.err != strategies.ErrAbandoned {
					t.Errorf("%s: done at %v with error %v", spec.Name, e.at, e.err)
				}
				if runs > 5 {
					t.Errorf("%s: ran %d steps of 2ms in 9ms", spec.Name, runs)
				}
			})
		}
	}
}

func nothing(context.Context, *strategies.Task) strategies.Result { return strategies.Result{} }
