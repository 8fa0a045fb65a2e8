package builtin_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

func checkValidate(t *testing.T, call string, limit int, want string) {
	t.Helper()
	parsed, err := param.Parse(call)
	if err != nil {
		t.Fatal(err)
	}
	v, err := strategies.Resolve(parsed)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Spec.Validate(strategies.Params{Limit: limit, Values: v.Values}); err == nil ||
		err.Error() != want {
		t.Errorf("%s with limit %d: %v, want %s", call, limit, err, want)
	}
}

func declaredPools(t *testing.T, call string, p strategies.Params) []strategies.ClassPool {
	t.Helper()
	parsed, err := param.Parse(call)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := strategies.Lookup(parsed.Name)
	if err != nil {
		t.Fatal(err)
	}
	return spec.ClassPools(p)
}

func TestSegregatedPools(t *testing.T) {
	for _, test := range []struct {
		call        string
		limit       int
		short, long int
	}{
		{"segregated", 2, 1, 1},
		{"segregated", 7, 3, 4},
		{"segregated", 8, 4, 4},
		{"segregated:short=1", 8, 1, 7},
		{"segregated:long=1", 8, 7, 1},
		{"segregated:short=1,long=3", 4, 1, 3},
	} {
		_, p := variant(t, test.call, test.limit, 0)
		want := []strategies.ClassPool{{Class: strategies.Short, Limit: test.short},
			{Class: strategies.Long, Limit: test.long}}
		if got := declaredPools(t, test.call, p); !slices.Equal(got, want) {
			t.Errorf("%s with limit %d: %v", test.call, test.limit, got)
		}
	}
	checkValidate(t, "segregated", 1, "strategy segregated: two pools want a limit of at least 2")
	checkValidate(t, "segregated:short=4", 4,
		"strategy segregated: a pool of 4 slots leaves none for the other, with a limit of 4")
	checkValidate(t, "segregated:long=5", 4,
		"strategy segregated: a pool of 5 slots leaves none for the other, with a limit of 4")
	checkValidate(t, "segregated:short=1,long=2", 4,
		"strategy segregated: short=1 and long=2 do not add up to the limit of 4")
	checkValidate(t, "segregated:short=-1", 4,
		"strategy segregated: short, long: want numbers of slots that are not negative")
}

func classed(n int, class strategies.Class, d time.Duration) []strategies.Task {
	tasks := sleeps(n, d)
	for i := range tasks {
		tasks[i].Class = class
	}
	return tasks
}

func submitAtOnce(t *testing.T, s strategies.Strategy, tasks []strategies.Task) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	for i := range tasks {
		if err := s.Submit(ctx, &tasks[i]); err != nil {
			t.Fatalf("task %d: %v", i, err)
		}
	}
}

func TestClassPoolsAreIndependent(t *testing.T) {
	for _, test := range []struct {
		call          string
		full, flowing strategies.Class
		slots         int // of the full class pool
	}{
		{"segregated:short=3", strategies.Long, strategies.Short, 5},
		{"segregated:short=3", strategies.Short, strategies.Long, 3},
		{"cpu_io_split:cpu=2", strategies.CPU, strategies.IO, 2},
		{"cpu_io_split:cpu=2", strategies.IO, strategies.CPU, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			const queue = 50
			spec, p := variant(t, test.call, 8, queue)
			log := newLog(1000)
			s := spec.New(t.Context(), p, log)
			submitAtOnce(t, s, classed(test.slots+queue, test.full, time.Second))
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if err := s.Submit(ctx, &classed(1, test.full, 0)[0]); !errors.Is(err,
				context.DeadlineExceeded) {
				t.Errorf("%s: a full class pool for class %v: %v", test.call, test.full, err)
			}
			n := 8 - test.slots + queue
			flowing := classed(n, test.flowing, time.Millisecond)
			start := time.Now()
			submitAtOnce(t, s, flowing)
			var last time.Duration
			for range n {
				last = (<-log.done).at - start.Sub(log.start)
			}
			if want := time.Duration((n+
				7-test.slots)/(8-test.slots)) * time.Millisecond; last != want {
				t.Errorf("%s: %d tasks of class %v took %v beside a full class pool, want %v", test.call,
					n, test.flowing, last, want)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A task without a class must start before later tasks of the pool.
func TestPoolOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "segregated", 2, 20)
		s := spec.New(t.Context(), p, newLog(20))
		type start struct {
			name int
			at   time.Duration
		}
		begin, starts := time.Now(), make(chan start, 20)
		run := func(_ context.Context, task *strategies.Task) strategies.Result {
			starts <- start{task.Arg.(int), time.Since(begin)}
			time.Sleep(time.Duration(task.Class) * 10 * time.Millisecond)
			return strategies.Result{}
		}
		for name, class := range []strategies.Class{strategies.Short, strategies.Long,
			strategies.CPU, strategies.Short, strategies.Long,
			strategies.Short, strategies.Long} {
			if err := s.Submit(t.Context(),
				&strategies.Task{Run: run, Arg: name, Class: class}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Starts on the short slot: 0 at 0, 2 at 10 (it arrived before 3), 3 at 40, 5 at 50. On the
		// long slot: 1 at 0, 4 at 20, 6 at 40.
		want := map[int]time.Duration{0: 0, 1: 0, 2: 10, 3: 40, 4: 20, 5: 50, 6: 40}
		for range want {
			if got := <-starts; got.at != want[got.name]*time.Millisecond {
				t.Errorf("task %d started at %v, want %v ms", got.name, got.at, int(want[got.name]))
			}
		}
	})
}

func TestNoClassTakesAnySlot(t *testing.T) {
	for _, call := range []string{"segregated:short=1", "cpu_io_split:cpu=1"} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, call, 4, 2)
			log := newLog(20)
			s := spec.New(t.Context(), p, log)
			tasks := sleeps(9, time.Millisecond)
			submitAtOnce(t, s, tasks[:8]) // 4 slots and 2 more in each queue
			if err := s.Submit(t.Context(), &tasks[8]); err != nil {
				t.Fatal(err)
			}
			if at := time.Since(log.start); at != time.Millisecond {
				t.Errorf("%s: the ninth of eight was accepted at %v", call, at)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(log.start); took != 3*time.Millisecond {
				t.Errorf("%s: nine tasks of 1ms in four slots took %v", call, took)
			}
		})
	}
}

// Capacity of a class pool must go to the first blocked Submit that may use it.
func TestBlockedByClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "segregated", 2, 0)
		log := newLog(20)
		s := spec.New(t.Context(), p, log)
		submitAtOnce(t, s, slices.Concat(classed(1, strategies.Short, 5*time.Millisecond),
			classed(1, strategies.Long, 3*time.Millisecond)))
		type let struct {
			name string
			at   time.Duration
		}
		in := make(chan let, 10)
		for _, blocked := range []struct {
			name  string
			class strategies.Class
		}{{"short", strategies.Short}, {"any", strategies.AnyClass}, {"long", strategies.Long}} {
			go func() {
				if err := s.Submit(t.Context(),
					&classed(1, blocked.class, 10*time.Millisecond)[0]); err != nil {
					t.Error(err)
				}
				in <- let{blocked.name, time.Since(log.start)}
			}()
			synctest.Wait()
		}
		for _, want := range []let{{"any", 3}, {"short", 5}, {"long", 13}} {
			want.at *= time.Millisecond
			if got := <-in; got != want {
				t.Errorf("let in: %v, want %v", got, want)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
