package builtin_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestShortestParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"shortest_first":           "",
		"shortest_first:longcap=1": "",
		"shortest_first:longcap=2": "strategy shortest_first: longcap must be at least 0 and at " +
			"most the limit 1",
		"shortest_first:longcap=-1": "strategy shortest_first: longcap must be at least 0 and at " +
			"most the limit 1",
		"shortest_first:stretch=0":  "",
		"shortest_first:stretch=-1": "strategy shortest_first: stretch must not be negative",
	})
}

func sized(sizes ...time.Duration) []strategies.Task {
	tasks := make([]strategies.Task, len(sizes))
	for i, size := range sizes {
		tasks[i] = strategies.Task{Run: sleep, Arg: size, Size: size}
	}
	return tasks
}

func TestShortestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(201)
		s := startVariant(t, "shortest_first:long=1s", 1, 200, log)
		random := rand.New(rand.NewPCG(1, 3))
		sizes := []time.Duration{time.Second}
		for range 200 {
			sizes = append(sizes, time.Duration(1+random.IntN(50))*time.Millisecond)
		}
		tasks := sized(sizes...)
		submit(t, s, tasks)
		want := make([]*strategies.Task, len(tasks))
		for i := range tasks {
			want[i] = &tasks[i]
		}
		slices.SortStableFunc(want[1:], func(a, b *strategies.Task) int {
			return int(a.Size - b.Size)
		})
		for i, w := range want {
			if e := <-log.done; e.task != w {
				t.Fatalf("number %d to be done has size %v, want %v", i, e.task.Size, w.Size)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestUnknownSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(5)
		s := startVariant(t, "shortest_first:long=10ms", 1, 4, log)
		tasks := sized(time.Millisecond, 11*time.Millisecond, 0, 9*time.Millisecond, 0)
		submit(t, s, tasks)
		for _, want := range []int{0, 3, 2, 4, 1} {
			if e := <-log.done; e.task != &tasks[want] {
				t.Errorf("size %v is done where task %d was expected", e.task.Size, want)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestLongCap(t *testing.T) {
	const ms = time.Millisecond
	for variant, want := range map[string]struct {
		most       int
		short, all time.Duration
	}{
		"shortest_first:long=10ms,longcap=1": {1, 34 * ms, 500 * ms},
		"shortest_first:long=10ms,longcap=2": {2, 50 * ms, 250 * ms},
		// 4 slots serve 50 short tasks from 50 ms on, and all long ones from 63 ms on
		"shortest_first:long=10ms": {3, 63 * ms, 212 * ms},
		// the first 10 tasks are equal, so none is long
		"shortest_first": {4, 75 * ms, 175 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			var running, most atomic.Int64
			run := func(ctx context.Context, t *strategies.Task) strategies.Result {
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				return sleep(ctx, t)
			}
			log := newLog(110)
			s := startVariant(t, variant, 4, 106, log)
			long := sized(slices.Repeat([]time.Duration{50 * ms}, 10)...)
			for i := range long {
				long[i].Run = run
			}
			submit(t, s, long)
			synctest.Wait()
			submit(t, s, sized(slices.Repeat([]time.Duration{ms}, 100)...))
			var short, all time.Duration
			for range 110 {
				e := <-log.done
				all = max(all, e.at)
				if e.task.Size == ms {
					short = max(short, e.at)
				}
			}
			if got := int(most.Load()); got != want.most {
				t.Errorf("%s: %d long tasks ran at once, want %d", variant, got, want.most)
			}
			if short != want.short || all != want.all {
				t.Errorf("%s: the short tasks were done at %v and all at %v, want %v and %v",
					variant, short, all, want.short, want.all)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A task of 5 ms waits among tasks of 1 ms that keep the slot busy. It is overtaken by those that
// arrive within stretch·(5 ms − 1 ms). With stretch=10, the last of them starts at 41 ms.
func TestOvertaking(t *testing.T) {
	for variant, want := range map[string]time.Duration{
		"shortest_first:stretch=0":  time.Millisecond,
		"shortest_first:stretch=1":  6 * time.Millisecond,
		"shortest_first:stretch=10": 42 * time.Millisecond,
		"shortest_first":            402 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(1000)
			s := startVariant(t, variant, 1, 1000, log)
			first, big := sized(time.Millisecond), sized(5*time.Millisecond)
			submit(t, s, first)
			synctest.Wait()
			submit(t, s, big)
			submit(t, s, sized(time.Millisecond))
			time.Sleep(time.Millisecond / 2)
			for range 500 {
				submit(t, s, sized(time.Millisecond))
				time.Sleep(time.Millisecond)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			for range 503 {
				if e := <-log.done; e.task == &big[0] && e.at-5*time.Millisecond != want {
					t.Errorf("%s: overtaken until %v, want %v", variant,
						e.at-5*time.Millisecond, want)
				}
			}
		})
	}
}

// The load of 4 slots is 0.8. In an independent simulation (20 replications), the mean response
// times are 1.992 ± 0.004 ms for short and 76.8 ± 0.4 ms for long tasks. First come, first served
// gives 14.0 and 63.0 ms.
func TestShortestKnownAnswer(t *testing.T) {
	const n = 100_000
	random := rand.New(rand.NewPCG(1, 6))
	var sum [2]time.Duration
	var count [2]int
	synctest.Test(t, func(t *testing.T) {
		type record struct {
			due, end time.Duration
		}
		began := time.Now()
		records := make([]record, n)
		tasks := make([]strategies.Task, n)
		run := func(_ context.Context, t *strategies.Task) strategies.Result {
			time.Sleep(t.Size)
			t.Arg.(*record).end = time.Since(began)
			return strategies.Result{}
		}
		s := startVariant(t, "shortest_first", 4, 10_000, anySink())
		var due time.Duration
		for i := range tasks {
			due += time.Duration(random.ExpFloat64() / 0.927536 * float64(time.Millisecond))
			size := time.Millisecond
			if random.Float64() < 0.05 {
				size = 50 * time.Millisecond
			}
			records[i].due = due
			tasks[i] = strategies.Task{Run: run, Arg: &records[i], Size: size}
			time.Sleep(due - time.Since(began))
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range tasks {
			class := 0
			if tasks[i].Size > time.Millisecond {
				class = 1
			}
			sum[class] += records[i].end - records[i].due
			count[class]++
		}
	})
	for class, want := range []float64{1.992, 76.8} {
		got := float64(sum[class]) / float64(count[class]) / 1e6
		t.Logf("class %d: mean response %.3f ms, %+.1f %%", class, got, 100*(got/want-1))
		if math.Abs(got/want-1) > 0.1 {
			t.Errorf("class %d: the mean response is %.3f ms, want %.3f ± 10 %%", class, got, want)
		}
	}
}
