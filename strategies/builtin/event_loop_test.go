package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), " [")
	return name
}

func TestEventLoopIsOneGoroutine(t *testing.T) {
	spec, p := variant(t, "event_loop", 8, 100)
	seen := map[string]int{}
	s := spec.New(t.Context(), p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) { seen[goroutine()]++ }))
	run := func(_ context.Context, task *strategies.Task) strategies.Result {
		seen[goroutine()]++
		if task.Arg.(int)%7 == 0 {
			panic("ends its callback")
		}
		return strategies.Result{}
	}
	submitted := make(chan error)
	for i := range 16 {
		go func() {
			for range 100 {
				if err := s.Submit(t.Context(), &strategies.Task{Run: run, Arg: i}); err != nil {
					submitted <- err
					return
				}
			}
			submitted <- nil
		}()
	}
	for range 16 {
		if err := <-submitted; err != nil {
			t.Error(err)
		}
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	for name, n := range seen {
		if len(seen) != 1 || n != 2*16*100 {
			t.Errorf("%s called %d times, of %d goroutines", name, n, len(seen))
		}
	}
}

func TestEventLoopIsBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "event_loop", 8, 9)
		log := newLog(10)
		s := spec.New(t.Context(), p, log)
		tasks := sleeps(10, 0)
		tasks[0].Arg = time.Second
		for i := range tasks {
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := s.Submit(ctx, &strategies.Task{Run: nothing}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("an eleventh task, where there is room for ten: %v", err)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range tasks {
			if e := <-log.done; e != (entry{&tasks[i], time.Second, nil}) {
				t.Errorf("done as number %d: %+v", i, e)
			}
		}
	})
}

func namedSteps(name byte, n int, to *[]byte) *strategies.Task {
	return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
		*to = append(*to, name)
		time.Sleep(time.Millisecond)
		n--
		return strategies.Result{More: n > 0}
	}}
}

func TestStepsTakeTurns(t *testing.T) {
	for _, test := range []struct{ call, want string }{
		{"event_loop", "abcabadada"},
		{"partitioned", "abcabadada"},
		{"partitioned_all_at_once", "aaaaabbcdd"},
		{"worker_pool", "aaaaabbcdd"},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, test.call, 1, 10)
			s := spec.New(t.Context(), p, newLog(10))
			var order []byte
			for _, task := range []*strategies.Task{namedSteps('a', 5, &order),
				namedSteps('b', 2, &order), namedSteps('c', 1, &order)} {
				if err := s.Submit(t.Context(), task); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(4500 * time.Microsecond) // during b's step in the second round
			if err := s.Submit(t.Context(), namedSteps('d', 2, &order)); err != nil {
				t.Fatal(err)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if string(order) != test.want {
				t.Errorf("%s: steps ran in the order %s, want %s", test.call, order, test.want)
			}
		})
	}
}

func TestStepFails(t *testing.T) {
	own := errors.New("own")
	for _, call := range []string{"event_loop", "partitioned"} {
		for name, fail := range map[string]func() error{
			"error":  func() error { return own },
			"panic":  func() error { panic(own) },
			"Goexit": func() error { runtime.Goexit(); return nil },
		} {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, call, 1, 10)
				log := newLog(2)
				s := spec.New(t.Context(), p, log)
				var order []byte
				good, steps := namedSteps('g', 5, &order), 0
				bad := &strategies.Task{
					Run: func(context.Context, *strategies.Task) strategies.Result {
						if steps++; steps < 3 {
							return strategies.Result{More: true}
						}
						return strategies.Result{Err: fail(), More: true}
					}}
				// The first step of good ends after bad has arrived.
				for _, task := range []*strategies.Task{good, bad} {
					if err := s.Submit(t.Context(), task); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				e := <-log.done
				what := fmt.Sprint(e.err)
				if want := map[string]string{"error": "own", "panic": "the task panicked: own",
					"Goexit": strategies.ErrGoexit.Error()}[name]; e.task != bad ||
					e.at != 3*time.Millisecond || what != want || steps != 3 {
					t.Errorf("%s, %s: done after %d steps at %v: %s", call, name, steps, e.at, what)
				}
				if e := <-log.done; e != (entry{good, 5 * time.Millisecond, nil}) {
					t.Errorf("%s, %s: beside it: %+v", call, name, e)
				}
			})
		}
	}
}

// One task runs a step, one waits for its second step and one for its first. Only the last counts
// as never run.
func TestStepsAbandoned(t *testing.T) {
	for _, call := range []string{"event_loop", "partitioned"} {
		for _, drained := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, call, 1, 10)
				log := newLog(3)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := spec.New(ctx, p, log)
				var order []byte
				waits, runs := namedSteps('w', 3, &order), namedSteps('r', 3, &order)
				for _, task := range []*strategies.Task{waits, runs} {
					if err := s.Submit(t.Context(), task); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(1500 * time.Microsecond)
				fresh := namedSteps('f', 3, &order)
				if err := s.Submit(t.Context(), fresh); err != nil {
					t.Fatal(err)
				}
				want := strategies.ErrAbandoned
				if drained {
					ended, cancel := context.WithCancel(t.Context())
					cancel()
					var e *strategies.DrainError
					if err := s.Drain(ended); !errors.As(err, &e) ||
						e.Abandoned != 1 || e.Running != 0 {
						t.Errorf("%s: Drain: %v", call, err)
					}
				} else {
					want = context.Canceled
					cancel()
					if err := s.Drain(t.Context()); err != nil {
						t.Errorf("%s: Drain: %v", call, err)
					}
				}
				got := []entry{<-log.done, <-log.done, <-log.done}
				if got[0].task == fresh { // two goroutines abandon two tasks at the same instant
					got[0], got[1] = got[1], got[0]
				}
				at := 1500 * time.Microsecond
				if !slices.Equal(got,
					[]entry{{waits, at, want}, {fresh, at, want},
						{runs, 2 * time.Millisecond, want}}) {
					t.Errorf("%s: done: %+v", call, got)
				}
				if string(order) != "wr" {
					t.Errorf("%s: steps ran: %s", call, order)
				}
			})
		}
	}
}
