package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestComposition(t *testing.T) {
	for text, want := range map[string]string{
		"retry:attempts=5+token_bucket:rate=10,burst=1+worker_pool": "",
		"retry+worker_pool":                                                 "",
		"retry:attempts=3+worker_pool":                                      "retry+worker_pool",
		"token_bucket:rate=1000000,burst=1+semaphore":                       "",
		"token_bucket:rate=1e+21+semaphore":                                 "",
		"retry:attempts=5+pipeline:stages=1(1ms)+work+1(exp(2ms)),buffer=2": "",
		"token_bucket:rate=target+retry_in_place+serial":                    "",
		"bounded_queue_shed:queue=8+retry_queue:base=1ms":                   "",
		"ticker_limited:rate=0.50+codel_lifo:target=0.001s,interval=9ms": "ticker_limited:" +
			"rate=0.5+codel_lifo:target=1ms,interval=9ms",
	} {
		v, err := strategies.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		again, err := strategies.Parse(v.String())
		if err != nil || v.String() != want || again.String() != want || v.Spec.Name != want {
			t.Errorf("%s is %s, and that %s, %v", text, v, again, err)
		}
	}
}

func TestUselessCompositions(t *testing.T) {
	for text, want := range map[string]string{
		"retry": "strategy retry: it needs an inner strategy, as in retry+worker_pool",
		"retry+semaphore+worker_pool": "strategy semaphore: it cannot have an inner strategy " +
			"(strategies that can: " + everyPart() + ")",
		"nothing+worker_pool": `unknown part "nothing" (known: ` + everyPart() + ")",
		"retry+": `want a name in lower_snake, as in worker_pool or ` +
			`hyperexp:mean=10ms,c2=16, got "retry+"`,
		"retry:attempts=x+worker_pool": `part retry: attempts: want a whole number such as 4, ` +
			`got "x"`,
		"retry:limit=5+worker_pool": `part retry: unknown parameter "limit" (known: attempts, ` +
			"base, cap, jitter, after, seed, delayed, budget)",
		"retry+retry+worker_pool": "retry before retry+worker_pool: retry is already present, " +
			"and one is enough: it also changes attempts",
		"retry+token_bucket+retry_queue": "retry before token_bucket+retry_queue: retry_queue " +
			"already retries",
		"retry_in_place+token_bucket+worker_pool": "retry_in_place before " +
			"token_bucket+worker_pool: it keeps the slot, so it must be the last part before " +
			"worker_pool; retry may be before token_bucket",
		"bounded_queue_shed+unbounded": "bounded_queue_shed before unbounded: it would never " +
			"shed: unbounded has no bound, and so is never full",
		"bounded_queue_shed+token_bucket+dispatcher_shed": "bounded_queue_shed before " +
			"token_bucket+dispatcher_shed: token_bucket+dispatcher_shed sheds already",
		"codel_lifo+retry+worker_pool": "codel_lifo before retry+worker_pool: it would count a " +
			"task that waits for another attempt as a task with a slot: put codel_lifo inside " +
			"the retry",
		"segregated+cpu_io_split": "segregated before cpu_io_split: cpu_io_split already " +
			"separates classes",
		"segregated+token_bucket+worker_pool": "segregated before token_bucket+worker_pool: each " +
			"class pool must start its tasks in their order and as soon as there is a slot, " +
			"which token_bucket+worker_pool does not",
		"segregated+unbounded": "segregated before unbounded: unbounded has no bound, and so no " +
			"slots to share out",
		"retry:delayed=8+bounded_queue_shed": "retry:delayed=8 before bounded_queue_shed: " +
			"delayed=8 is a queue before the queue from which bounded_queue_shed sheds",
		"hedged+hedged": "hedged before hedged: hedged makes second attempts " +
			"already",
		"token_bucket+hedged+worker_pool": "token_bucket before hedged+worker_pool: the inner " +
			"strategy makes second attempts outside its slots, which an outer part cannot count: " +
			"put hedged outermost",
		"token_bucket+segregated": "token_bucket before segregated: tasks of one class would " +
			"wait for tasks of another: put segregated outermost",
		"retry+errgroup": "retry before errgroup: errgroup ends all tasks at the first failure, " +
			"so a retry is useless",
		"token_bucket+partitioned": "token_bucket before partitioned: partitioned runs tasks in " +
			"steps, and a task that waits outside would miss its turn",
		"token_bucket+partitioned_all_at_once": "token_bucket before partitioned_all_at_once: " +
			"partitioned_all_at_once starts sub-tasks in parallel, which an outer part cannot " +
			"limit",
	} {
		v, err := strategies.Parse(text)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, %v, want %s", text, v, err, want)
		}
	}
	refusedValues(t, map[string]string{
		"retry:attempts=0+worker_pool": "strategy retry:attempts=0+worker_pool: attempts 0: want " +
			"1 to 1000",
		"token_bucket:burst=0+retry+worker_pool": "strategy " +
			"token_bucket:burst=0+retry+worker_pool: burst must be at least 1",
		"retry+codel_lifo:target=1s": "strategy retry+codel_lifo:target=1s: target must be above " +
			"0 and at most the interval",
		"retry+token_bucket:rate=target+serial": "strategy " +
			"retry+token_bucket:rate=target+serial: rate=target: there is no target with a known " +
			"rate",
	})
}

func everyPart() string {
	var names []string
	for _, p := range strategies.Parts() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func TestDerivedFacts(t *testing.T) {
	for _, c := range []struct {
		text                 string
		bound, capacity      int // at limit 4, queue 16; 0: none
		sheds, fifo, retries bool
		conserving           bool
		starts               float64
	}{
		{"retry+worker_pool", 4, 276, false, true, true, true, 0},
		{"retry:delayed=10+semaphore", 4, 14, false, true, true, true, 0},
		{"retry+bounded_queue_shed", 4, 20, true, true, true, true, 0},
		{"retry+unbounded", 0, 0, false, false, true, true, 0},
		{"retry_in_place+dispatcher", 4, 20, false, true, true, false, 0},
		{"token_bucket:rate=5+worker_pool", 4, 20, false, true, false, false, 5},
		{"retry+token_bucket:rate=5+worker_pool", 4, 276, false, true, true, false, 5},
		{"token_bucket:rate=5+retry+worker_pool", 4, 276, false, true, true, false, 0},
		{"token_bucket:rate=10+ticker_limited:rate=20+worker_pool", 4, 20, false, true, false, false,
			10},
		{"token_bucket:rate=20+ticker_limited:rate=10+worker_pool", 4, 20, false, true, false, false,
			10},
		{"token_bucket:rate=30+ticker_limited:rate=20+token_bucket:rate=10", 4, 20, false, true,
			false, false, 10},
		{"token_bucket:rate=10+retry+ticker_limited:rate=20+worker_pool", 4, 276, false, true, true,
			false, 20},
		{"bounded_queue_shed:queue=3+worker_pool", 4, 7, true, true, false, true, 0},
		{"bounded_queue_shed:queue=3+ticker_limited:rate=7+semaphore", 4, 7, true, true, false,
			false, 7},
		{"circuit_breaker+semaphore", 4, 4, false, true, false, false, 0},
		{"circuit_breaker+retry:delayed=10+semaphore", 4, 14, false, true, true, false, 0},
	} {
		v := strategies.MustParse(c.text)
		s, p := v.Spec, strategies.Params{Limit: 4, Values: v.Values}
		if s.UsesQueue {
			p.Queue = 16
		}
		bound, capacity, starts := 0, 0, 0.0
		if s.Bound != nil {
			bound = s.Bound(p)
		}
		if s.Capacity != nil {
			capacity = s.Capacity(p)
		}
		if s.Starts != nil {
			starts = s.Starts(p).PerSecond
		}
		got := fmt.Sprint(bound, capacity, s.Sheds, s.FIFO, s.Retries, s.WorkConserving, starts)
		if want := fmt.Sprint(c.bound, c.capacity, c.sheds, c.fifo, c.retries, c.conserving,
			c.starts); got != want {
			t.Errorf("%s: %s, want %s", c.text, got, want)
		}
	}
}

func TestRateOfTarget(t *testing.T) {
	v := strategies.MustParse("retry+token_bucket:rate=target+ticker_limited:rate=target")
	if open := v.Values.Open(); open != "rate=target" {
		t.Fatalf("open is %q", open)
	}
	settled := v.Values.Settle("target", 7)
	if open := settled.Open(); open != "" {
		t.Errorf("settled, and open is %q", open)
	}
	p := strategies.Params{Limit: 4, Values: settled}
	if got := v.Spec.Starts(p).PerSecond; got != 7 {
		t.Errorf("%v starts a second", got)
	}
	if err := v.Spec.Validate(p); err != nil {
		t.Error(err)
	}
	if want := "retry+token_bucket:rate=target+ticker_limited:rate=target"; v.String() != want {
		t.Errorf("spelt %s", v)
	}
}

// outcomes submits 300 tasks. Each tenth fails once.
func outcomes(t *testing.T, text string, limit, queue int) (all []string) {
	if !strategies.MustParse(text).Spec.UsesQueue {
		queue = 0
	}
	synctest.Test(t, func(t *testing.T) {
		start, mu := time.Now(), sync.Mutex{}
		all = make([]string, 300)
		s := startVariant(t, text, limit, queue, strategies.SinkFunc(
			func(task *strategies.Task, r strategies.Result) {
				mu.Lock()
				defer mu.Unlock()
				all[task.ID] = fmt.Sprint(time.Since(start), r.Err)
			}))
		attempts := make([]int, len(all))
		random := rand.New(rand.NewPCG(1, 2)) // with nanosecond resolution there are no ties
		for i := range all {
			time.Sleep(time.Duration(random.IntN(int(1300 * time.Microsecond))))
			length := time.Duration(random.IntN(int(9 * time.Millisecond)))
			task := &strategies.Task{ID: uint64(i), Class: strategies.Class(random.IntN(3)),
				Run: func(context.Context, *strategies.Task) strategies.Result {
					time.Sleep(length)
					if attempts[i]++; i%10 == 0 && attempts[i] == 1 {
						return strategies.Result{Err: errors.New("once"), Retry: true}
					}
					return strategies.Result{}
				}}
			if err := s.Submit(t.Context(), task); err != nil {
				mu.Lock()
				all[i] = err.Error()
				mu.Unlock()
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return all
}

// A part around a worker pool must behave, to the nanosecond, like the strategy of that name.
func TestPartsMatchStrategies(t *testing.T) {
	for _, c := range []struct {
		whole, composed string
		queue, inside   int
	}{
		{"token_bucket:rate=300,burst=5", "token_bucket:rate=300,burst=5+worker_pool", 20, 20},
		{"token_bucket:rate=900,burst=1", "token_bucket:rate=900,burst=1+semaphore", 0, 0},
		{"ticker_limited:rate=700", "ticker_limited:rate=700+worker_pool", 20, 20},
		{"bounded_queue_shed", "bounded_queue_shed:queue=6+worker_pool", 6, 0},
		{"bounded_queue_shed", "bounded_queue_shed:queue=6+worker_pool", 6, 100},
		{"codel_lifo:target=1ms,interval=6ms",
			"codel_lifo:queue=20,target=1ms,interval=6ms+worker_pool", 20, 20},
		{"codel_lifo:target=3ms,interval=30ms",
			"codel_lifo:queue=20,target=3ms,interval=30ms+semaphore", 20, 0},
		{"segregated", "segregated+worker_pool", 20, 20},
		{"segregated:short=1", "segregated:short=1+semaphore", 0, 0},
		{"cpu_io_split:cpu=1", "cpu_io_split:cpu=1+bounded_queue", 5, 5},
		{"retry_in_place:base=3ms", "retry_in_place:base=3ms+worker_pool", 20, 20},
		{"retry_queue:base=3ms,delayed=9", "retry:base=3ms,delayed=9+worker_pool", 20, 20},
	} {
		limits := []int{1, 4}
		if v := strategies.MustParse(c.whole); v.Spec.ClassPools != nil {
			limits = []int{3, 4}
		}
		for _, limit := range limits {
			want := outcomes(t, c.whole, limit, c.queue)
			got := outcomes(t, c.composed, limit, c.inside)
			if !slices.Equal(got, want) {
				t.Errorf("%s at limit %d:\n%s\nand %s:\n%s", c.whole, limit,
					strings.Join(want, ", "), c.composed, strings.Join(got, ", "))
			}
		}
	}
}

func TestOrderOfParts(t *testing.T) {
	for text, want := range map[string][]time.Duration{
		"retry:base=0s+token_bucket:rate=1,burst=1+worker_pool": {0, time.Second, 2 * time.Second},
		"token_bucket:rate=1,burst=1+retry:base=0s+worker_pool": {0, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var at []time.Duration
			s := startVariant(t, text, 2, 0,
				strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
			task := &strategies.Task{
				Run: func(context.Context, *strategies.Task) strategies.Result {
					at = append(at, time.Since(start))
					return strategies.Result{Retry: true}
				}}
			if err := errors.Join(s.Submit(t.Context(), task), s.Drain(t.Context())); err != nil {
				t.Error(err)
			}
			if !slices.Equal(at, want) {
				t.Errorf("%s: attempts at %v, want %v", text, at, want)
			}
		})
	}
}

// The budget starts full with ten attempts, so the first task's deposit is lost.
func TestRetryBudget(t *testing.T) {
	for text, want := range map[string]int{
		"retry:attempts=4,base=0s,budget=0.1+worker_pool":           100 + 10 + 9,
		"retry_in_place:attempts=4,base=0s,budget=0.25+worker_pool": 100 + 10 + 24,
		"retry:attempts=4,base=0s+worker_pool":                      400,
	} {
		synctest.Test(t, func(t *testing.T) {
			attempts, exhausted := 0, 0
			s := startVariant(t, text, 1, 0, strategies.SinkFunc(
				func(_ *strategies.Task, r strategies.Result) {
					if errors.Is(r.Err, strategies.ErrExhausted) {
						exhausted++
					}
				}))
			for range 100 {
				time.Sleep(time.Second)
				task := &strategies.Task{
					Run: func(context.Context, *strategies.Task) strategies.Result {
						time.Sleep(time.Millisecond) // so that Submit has returned
						attempts++
						return strategies.Result{Retry: true}
					}}
				if err := s.Submit(t.Context(), task); err != nil {
					t.Error(err)
				}
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if attempts != want || exhausted != 100 {
				t.Errorf("%s: %d attempts, want %d; %d exhausted", text, attempts, want,
					exhausted)
			}
		})
	}
	refusedValues(t, map[string]string{
		"retry:budget=2000+worker_pool": "strategy retry:budget=2000+worker_pool: budget 2000: " +
			"want 0, or 0.000001 to 1000",
	})
}

func TestComposedAllocatesNothing(t *testing.T) {
	for _, text := range []string{"retry+worker_pool", "retry+bounded_queue_shed",
		"bounded_queue_shed:queue=9+retry_in_place+semaphore",
		"retry+token_bucket:rate=1e+09+worker_pool"} {
		done := make(chan struct{}, 1)
		s := startVariant(t, text, 2, 0, strategies.SinkFunc(
			func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		task := &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
			return strategies.Result{}
		}}
		got := testing.AllocsPerRun(1000, func() {
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			<-done
		})
		if got > 0 {
			t.Errorf("%s: %v allocations a task", text, got)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func ExampleCompose() {
	part := func(text string) strategies.PartVariant {
		v, err := strategies.ParsePart(text)
		if err != nil {
			panic(err)
		}
		return v
	}
	v, err := strategies.Compose(strategies.MustParse("worker_pool"),
		part("retry:attempts=5"), part("token_bucket:rate=10,burst=1"))
	if err != nil {
		panic(err)
	}
	p := strategies.Params{Limit: 8, Queue: 100, Values: v.Values}
	fmt.Println(v)
	fmt.Println(v.Spec.Bound(p), "at once,", v.Spec.Starts(p).PerSecond, "starts a second")
	_, err = strategies.Compose(strategies.MustParse("unbounded"), part("bounded_queue_shed"))
	fmt.Println(err)
	// Output:
	// retry:attempts=5+token_bucket:rate=10,burst=1+worker_pool
	// 8 at once, 10 starts a second
	// bounded_queue_shed before unbounded: it would never shed: unbounded has no bound, and so is never full
}

// Queue is refused if the outer part admits only as many tasks as there are slots, because then no
// task can wait in the inner queue.
func TestUselessQueue(t *testing.T) {
	for text, of := range map[string]bool{"bounded_queue_shed+worker_pool": false,
		"bounded_queue_shed:queue=3+worker_pool": true, "codel_lifo+worker_pool": false,
		"retry+bounded_queue_shed+worker_pool": false, "retry+bounded_queue_shed": true,
		"bounded_queue_shed:queue=3+semaphore": false, "retry+worker_pool": true} {
		if got := strategies.MustParse(text).Spec.UsesQueue; got != of {
			t.Errorf("%s takes a queue: %v, want %v", text, got, of)
		}
	}
}
