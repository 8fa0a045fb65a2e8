package builtin_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func parent(parts ...*strategies.Task) *strategies.Task {
	return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
		return strategies.Result{Split: parts}
	}}
}

func pointers(tasks []strategies.Task) (all []*strategies.Task) {
	for i := range tasks {
		all = append(all, &tasks[i])
	}
	return all
}

// A short task waits for the 8 earlier sub-tasks of 1 ms, which take ⌈8/limit⌉ ms.
func TestSplitsRunInParallel(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 8, 20} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, "partitioned_all_at_once", limit, 10)
			log := newLog(2)
			s := spec.New(t.Context(), p, log)
			short := sleeps(1, time.Millisecond)
			big := parent(pointers(sleeps(8, time.Millisecond))...)
			for _, task := range []*strategies.Task{big, &short[0]} {
				if err := s.Submit(t.Context(), task); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			ends := map[*strategies.Task]time.Duration{}
			for range 2 {
				e := <-log.done
				ends[e.task] = e.at
			}
			if want := time.Duration((8+limit-1)/limit) * time.Millisecond; ends[big] != want {
				t.Errorf("limit %d: the task of 8 parts was done at %v, want %v",
					limit, ends[big], want)
			}
			if want := time.Duration((9+
				limit-1)/limit) * time.Millisecond; ends[&short[0]] != want {
				t.Errorf("limit %d: the short task was done at %v, want %v", limit,
					ends[&short[0]], want)
			}
		})
	}
}

func TestSplitsKeepTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "partitioned_all_at_once", 2, 10)
		s := spec.New(t.Context(), p, newLog(2))
		var mu sync.Mutex
		var order []string
		splits := func(name string, after time.Duration) *strategies.Task {
			var parts []*strategies.Task
			for range 6 {
				parts = append(parts,
					&strategies.Task{
						Run: func(context.Context, *strategies.Task) strategies.Result {
							mu.Lock()
							order = append(order, name)
							mu.Unlock()
							time.Sleep(2 * time.Millisecond)
							return strategies.Result{}
						}})
			}
			return &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
				time.Sleep(after)
				return strategies.Result{Split: parts}
			}}
		}
		for _, task := range []*strategies.Task{splits("a", 3*time.Millisecond), splits("b", 0)} {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		// a splits at 3 ms, during b's second part
		if want := []string{"b", "b", "a", "a", "a", "a", "a", "a", "b", "b", "b",
			"b"}; !slices.Equal(order, want) {
			t.Errorf("parts ran in the order %v, want %v", order, want)
		}
	})
}

// Running parts must continue after the failure of the second part. The others must not run.
func TestSplitFails(t *testing.T) {
	own := errors.New("own")
	for name, fail := range map[string]func(){"error": nil, "panic": func() { panic(own) }} {
		for _, nested := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, "partitioned_all_at_once", 3, 10)
				log := newLog(2)
				s := spec.New(t.Context(), p, log)
				parts := sleeps(10, 4*time.Millisecond)
				ran := 0
				for i := range parts[3:] {
					parts[3+i].Run = func(context.Context, *strategies.Task) strategies.Result {
						ran++
						return strategies.Result{}
					}
				}
				parts[1].Run = func(context.Context, *strategies.Task) strategies.Result {
					time.Sleep(time.Millisecond)
					if fail != nil {
						fail()
					}
					return strategies.Result{Err: own, More: true, Split: pointers(parts[5:])}
				}
				failing := parent(pointers(parts)...)
				if nested {
					failing = parent(parent(pointers(parts)...))
				}
				other := sleeps(1, time.Millisecond)
				for _, task := range []*strategies.Task{failing, &other[0]} {
					if err := s.Submit(t.Context(), task); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if err := s.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				if e := <-log.done; e.task != &other[0] ||
					e.at != 2*time.Millisecond || e.err != nil {
					t.Errorf("%s, nested %v: first done: %+v", name, nested, e)
				}
				var panicked *strategies.PanicError
				e := <-log.done
				if isPanic := errors.As(e.err, &panicked); e.at != 4*time.Millisecond ||
					isPanic != (fail != nil) || fail == nil && e.err != own {
					t.Errorf("%s, nested %v: done at %v with %v", name, nested, e.at, e.err)
				}
				if ran > 0 {
					t.Errorf("%s, nested %v: %d parts ran after the failure of another",
						name, nested, ran)
				}
			})
		}
	}
}

func TestSplitThenMore(t *testing.T) {
	for _, name := range []string{"partitioned_all_at_once", "partitioned",
		"event_loop", "worker_pool"} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 10)
			log := newLog(1)
			s := spec.New(t.Context(), p, log)
			var order []string
			var grow func(name string, level int) *strategies.Task
			grow = func(name string, level int) *strategies.Task {
				steps := 0
				return &strategies.Task{
					Run: func(context.Context, *strategies.Task) (r strategies.Result) {
						steps++
						if order = append(order, name); level == 0 || steps > 1 {
							return r
						}
						return strategies.Result{More: true,
							Split: []*strategies.Task{grow(name+"0", level-1),
								grow(name+"1", level-1)}}
					}}
			}
			if err := s.Submit(t.Context(), grow("t", 2)); err != nil {
				t.Fatal(err)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if want := []string{"t", "t0", "t00", "t01", "t0", "t1", "t10", "t11", "t1",
				"t"}; !slices.Equal(order, want) {
				t.Errorf("%s: steps ran in the order %v, want %v", name, order, want)
			}
			if len(log.done) != 1 {
				t.Errorf("%s: the task was done %d times", name, len(log.done))
			}
		})
	}
}

// Started tasks must not count as never run.
func TestSplitAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spec, p := variant(t, "partitioned_all_at_once", 2, 10)
		log := newLog(3)
		s := spec.New(t.Context(), p, log)
		first, second, third := parent(pointers(sleeps(3, 2*time.Millisecond))...),
			parent(parent(pointers(sleeps(9, 2*time.Millisecond))...)), parent()
		for _, task := range []*strategies.Task{first, second, third} {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
		defer cancel()
		var e *strategies.DrainError
		if err := s.Drain(ctx); !errors.As(err, &e) || e.Abandoned != 1 || e.Running != 0 {
			t.Errorf("Drain: %v", err)
		}
		want := []entry{{third, 3 * time.Millisecond, strategies.ErrAbandoned},
			{first, 4 * time.Millisecond, nil},
			{second, 4 * time.Millisecond, strategies.ErrAbandoned}}
		got := []entry{<-log.done, <-log.done, <-log.done}
		if got[1].task == second {
			got[1], got[2] = got[2], got[1] // both at 4 ms
		}
		if !slices.Equal(got, want) {
			t.Errorf("done: %+v\nwant: %+v", got, want)
		}
	})
}

// The test compares only the ends of parts, because it is undefined which of two tasks gets a slot
// that becomes free at the same instant.
func TestAllAtOnceDoesNotHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const n = 100_000
	plan := bimodal(n)
	var mu sync.Mutex
	var start time.Time
	var ends []time.Duration
	part := func(context.Context, *strategies.Task) strategies.Result {
		time.Sleep(time.Millisecond)
		mu.Lock()
		ends = append(ends, time.Since(start))
		mu.Unlock()
		return strategies.Result{}
	}
	played := runPlan(t, "partitioned_all_at_once",
		func(_ context.Context, task *strategies.Task) (r strategies.Result) {
			c := task.Arg.(*customer)
			if start.IsZero() {
				start = time.Now().Add(-c.due) // the first task finds an empty pool
			}
			parts := make([]strategies.Task, c.service/time.Millisecond)
			for i := range parts {
				parts[i].Run = part
			}
			return strategies.Result{Split: pointers(parts)}
		}, plan)

	var want []time.Duration
	free := make([]time.Duration, 4)
	for _, c := range plan {
		for range c.service / time.Millisecond {
			slices.Sort(free)
			free[0] = max(free[0], c.due) + time.Millisecond
			want = append(want, free[0])
		}
	}
	slices.Sort(want)
	slices.Sort(ends)
	if !slices.Equal(ends, want) {
		t.Errorf("the instants at which %d parts ended differ from those of %d in the oracle",
			len(ends), len(want))
	}
	tolerance := 0.065 * math.Sqrt(2_000_000/float64(n))
	checkMean(t, played, strategies.Short, 18.97, tolerance)
	checkMean(t, played, strategies.Long, 31.16, tolerance)
}

func TestSplitAllocates(t *testing.T) {
	for _, name := range []string{"partitioned_all_at_once", "partitioned"} {
		spec, p := variant(t, name, 2, 10)
		done := make(chan struct{}, 1)
		s := spec.New(t.Context(), p,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		parts := make([]strategies.Task, 20)
		for i := range parts {
			parts[i].Run = nothing
		}
		task := parent(pointers(parts)...)
		got := testing.AllocsPerRun(1000, func() {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			<-done
		})
		if got != 1 {
			t.Errorf("%s: %v allocations per Split, want 1", name, got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
