package strategies_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

const ms = time.Millisecond

// retrying calls test with each strategy that retries.
func retrying(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range []string{"retry_in_place", "retry_queue"} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

// A flaky task takes 1 ms an attempt and fails until its attempt number ok (0: always), asking for after.
type flaky struct {
	strategies.Task
	ok    int
	after time.Duration
	begin time.Time
	spans [][2]time.Duration // start and end of each attempt
}

// endless is when a flaky task gives in, so that retries without an end fail a test instead of hanging it.
const endless = 5000

var errFlaky = errors.New("not yet")

func newFlaky(ok int, after time.Duration) *flaky {
	f := &flaky{ok: ok, after: after, begin: time.Now()}
	f.Task = strategies.Task{Run: tryFlaky, Arg: f}
	return f
}

func tryFlaky(_ context.Context, t *strategies.Task) strategies.Result {
	f := t.Arg.(*flaky)
	start := time.Since(f.begin)
	time.Sleep(ms)
	f.spans = append(f.spans, [2]time.Duration{start, time.Since(f.begin)})
	if len(f.spans) == f.ok || len(f.spans) == endless {
		return strategies.Result{}
	}
	return strategies.Result{Err: errFlaky, Retry: true, After: f.after}
}

func accept(t *testing.T, s strategies.Strategy, tasks ...*strategies.Task) {
	t.Helper()
	for _, task := range tasks {
		if err := s.Submit(t.Context(), task); err != nil {
			t.Fatal(err)
		}
	}
}

func drainAll(t *testing.T, s strategies.Strategy) {
	t.Helper()
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// fullJitter is the formula once more, in whole numbers of any size: the nth number of PCG(seed, ordinal), as a fraction of
// 2⁶⁴, of the nanoseconds from 0 to min(cap, base·2ⁿ⁻¹).
func fullJitter(seed, ordinal uint64, n int, base, most time.Duration) time.Duration {
	source := rand.NewPCG(seed, ordinal)
	for range n - 1 {
		source.Uint64()
	}
	top := new(big.Int).Lsh(big.NewInt(int64(base)), uint(n-1))
	if limit := big.NewInt(int64(most)); top.Cmp(limit) > 0 {
		top = limit
	}
	wait := new(big.Int).SetUint64(source.Uint64())
	wait.Mul(wait, new(big.Int).Add(top, big.NewInt(1)))
	return time.Duration(wait.Rsh(wait, 64).Int64())
}

// TestRetryWaits compares every wait with the formula, to the nanosecond, and the number of attempts.
func TestRetryWaits(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		for _, c := range []struct {
			args      string
			attempts  int
			base, cap time.Duration
			seed      uint64
			after     time.Duration
		}{
			{"", 3, 100 * ms, 10 * time.Second, 1, 0},
			{":attempts=1", 1, 0, 0, 1, 0},
			{":attempts=7,base=10ms,cap=35ms", 7, 10 * ms, 35 * ms, 1, 0},
			{":attempts=7,base=10ms,cap=35ms,seed=-2", 7, 10 * ms, 35 * ms, ^uint64(1), 70 * ms},
			{":attempts=4,base=0s,cap=0s", 4, 0, 0, 1, 20 * ms},
			{":attempts=4,base=1ms,cap=1ms", 4, ms, ms, 1, -time.Hour},
			{":attempts=200,base=1ns,cap=1h,seed=3", 200, 1, time.Hour, 3, 0},
		} {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, name+c.args, 20, 0)
				log := newLog(20)
				s := spec.New(t.Context(), p, log)
				var tasks []*flaky
				for range 20 {
					f := newFlaky(0, c.after)
					tasks = append(tasks, f)
					accept(t, s, &f.Task)
				}
				drainAll(t, s)
				for ordinal, f := range tasks {
					if len(f.spans) != c.attempts {
						t.Fatalf("%s: %d attempts", c.args, len(f.spans))
					}
					for n := 1; n < c.attempts; n++ {
						want := max(c.after, 0) + fullJitter(c.seed, uint64(ordinal), n, c.base, c.cap)
						if got := f.spans[n][0] - f.spans[n-1][1]; got != want {
							t.Fatalf("%s: task %d waited %v after attempt %d, want %v", c.args, ordinal, got, n, want)
						}
					}
				}
				for range tasks {
					var e *strategies.ExhaustedError
					if got := <-log.done; !errors.As(got.err, &e) || *e != (strategies.ExhaustedError{Attempts: c.attempts, Last: errFlaky}) {
						t.Fatalf("%s: done with %v", c.args, got.err)
					}
				}
			})
		}
	})
}

// TestRetryRepeats has 200 tasks of two kinds fail and compete for places, twice: each attempt is at the same instant.
func TestRetryRepeats(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		var runs []string
		for range 2 {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, name+":attempts=5,base=3ms", 8, 200)
				s := spec.New(t.Context(), p, newLog(200))
				var tasks []*flaky
				for i := range 200 {
					time.Sleep(time.Duration(i*i%97) * time.Microsecond)
					f := newFlaky(i%7, 0)
					tasks = append(tasks, f)
					accept(t, s, &f.Task)
				}
				drainAll(t, s)
				var trace strings.Builder
				for _, f := range tasks {
					fmt.Fprintln(&trace, f.spans)
				}
				runs = append(runs, trace.String())
			})
		}
		if runs[0] != runs[1] {
			t.Error("the second run differs from the first")
		}
	})
}

// TestRetryPlaces is the difference between the two. All 8 places get a task that fails at 1 ms and will succeed a second later;
// behind them are 800 tasks of 1 ms. In place, these wait for that second; with a queue they are done at 1 + 100 ms.
func TestRetryPlaces(t *testing.T) {
	for _, c := range []struct {
		name              string
		lastGood, lastBad time.Duration
	}{
		{"retry_in_place", 1102 * ms, 1002 * ms},
		{"retry_queue", 101 * ms, 1002 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, c.name+":base=0s", 8, 808)
			log := newLog(808)
			s := spec.New(t.Context(), p, log)
			for range 8 {
				accept(t, s, &newFlaky(2, time.Second).Task)
			}
			good := sleeps(800, ms)
			for i := range good {
				accept(t, s, &good[i])
			}
			drainAll(t, s)
			var lastGood, lastBad time.Duration
			for range 808 {
				e := <-log.done
				if e.err != nil {
					t.Fatal(e.err)
				}
				if _, bad := e.task.Arg.(*flaky); bad {
					lastBad = max(lastBad, e.at)
				} else {
					lastGood = max(lastGood, e.at)
				}
			}
			if lastGood != c.lastGood || lastBad != c.lastBad {
				t.Errorf("%s: the last good task was done at %v, want %v; the last bad one at %v, want %v",
					c.name, lastGood, c.lastGood, lastBad, c.lastBad)
			}
		})
	}
}

// TestRetryFinal has second attempts that end in each way that is final.
func TestRetryFinal(t *testing.T) {
	own := errors.New("own")
	retrying(t, func(t *testing.T, name string) {
		for _, c := range []struct {
			what   string
			second func() strategies.Result
			is     func(error) bool
		}{
			{"success", func() strategies.Result { return strategies.Result{} }, func(err error) bool { return err == nil }},
			{"an error without Retry", func() strategies.Result { return strategies.Result{Err: own} }, func(err error) bool { return err == own }},
			{"a panic", func() strategies.Result { panic("second") }, func(err error) bool {
				var e *strategies.PanicError
				return errors.As(err, &e) && e.Value == "second"
			}},
			{"Goexit", func() strategies.Result { runtime.Goexit(); return strategies.Result{} },
				func(err error) bool { return err == strategies.ErrGoexit }},
		} {
			synctest.Test(t, func(t *testing.T) {
				spec, p := variant(t, name+":attempts=10", 1, 0)
				log := newLog(1)
				s := spec.New(t.Context(), p, log)
				runs := 0
				accept(t, s, &strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
					if runs++; runs == 1 {
						return strategies.Result{Err: errFlaky, Retry: true}
					}
					return c.second()
				}})
				drainAll(t, s)
				if e := <-log.done; runs != 2 || !c.is(e.err) {
					t.Errorf("%s: %d attempts, error %v", c.what, runs, e.err)
				}
			})
		}
	})
}

// TestRetryOfParts has a step and a sub-task ask for another attempt. The step is run again, and the parent of the sub-task.
func TestRetryOfParts(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 2)
			log := newLog(2)
			s := spec.New(t.Context(), p, log)
			var trace []string
			note := func(what string, results ...strategies.Result) func(context.Context, *strategies.Task) strategies.Result {
				calls := 0
				return func(context.Context, *strategies.Task) strategies.Result {
					calls++
					trace = append(trace, fmt.Sprint(what, calls))
					return results[calls-1]
				}
			}
			again := strategies.Result{Err: errFlaky, Retry: true}
			more := strategies.Result{More: true}
			accept(t, s, &strategies.Task{Run: note("step", more, again, more, strategies.Result{})})
			synctest.Wait()
			time.Sleep(time.Minute)
			parts := []*strategies.Task{{Run: note("a", strategies.Result{}, strategies.Result{})}, {Run: note("b", again, strategies.Result{})},
				{Run: note("c", strategies.Result{})}}
			accept(t, s, &strategies.Task{Run: note("parent", strategies.Result{Split: parts}, strategies.Result{Split: parts[1:]})})
			drainAll(t, s)
			want := []string{"step1", "step2", "step3", "step4", "parent1", "a1", "b1", "parent2", "b2", "c1"}
			if !slices.Equal(trace, want) {
				t.Errorf("%v, want %v", trace, want)
			}
			for range 2 {
				if e := <-log.done; e.err != nil {
					t.Error(e.err)
				}
			}
		})
	})
}

// TestRetryAnew submits a task that was exhausted once more: it has all its attempts again.
func TestRetryAnew(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 0)
			log := newLog(1)
			s := spec.New(t.Context(), p, log)
			f := newFlaky(6, 0)
			accept(t, s, &f.Task)
			if e := <-log.done; len(f.spans) != 3 || !errors.Is(e.err, strategies.ErrExhausted) || !errors.Is(e.err, errFlaky) {
				t.Errorf("at first: %d attempts, error %v", len(f.spans), e.err)
			}
			accept(t, s, &f.Task)
			drainAll(t, s)
			if e := <-log.done; len(f.spans) != 6 || e.err != nil {
				t.Errorf("anew: %d attempts, error %v", len(f.spans), e.err)
			}
		})
	})
}

// TestRetryLeavesNoTrace abandons a task elsewhere that was exhausted here, and never ran there: it counts as such.
func TestRetryLeavesNoTrace(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			f := newFlaky(0, 0)
			spec, p := variant(t, name, 1, 0)
			s := spec.New(t.Context(), p, newLog(1))
			accept(t, s, &f.Task)
			drainAll(t, s)

			spec, p = variant(t, "worker_pool", 1, 1)
			s = spec.New(t.Context(), p, newLog(2))
			accept(t, s, &sleeps(1, ms)[0])
			synctest.Wait() // it runs
			accept(t, s, &f.Task)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var e *strategies.DrainError
			if err := s.Drain(ctx); !errors.As(err, &e) || e.Abandoned != 1 {
				t.Errorf("after the worker pool has abandoned a task that did not run there, Drain returned %v", err)
			}
		})
	})
}

func TestRetryParameters(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		wants := make(map[string]string)
		for args, want := range map[string]string{
			"attempts=1":                "",
			"attempts=1000":             "",
			"attempts=0":                "attempts 0: want 1 to 1000",
			"attempts=1001":             "attempts 1001: want 1 to 1000",
			"base=0s,cap=0s":            "",
			"base=2s,cap=1s":            "cap 1s is below base 2s",
			"base=11s":                  "cap 10s is below base 11s",
			"base=1ns,cap=2562047h":     "",
			"seed=-9223372036854775808": "",
		} {
			if want != "" {
				want = "strategy " + name + ": " + want
			}
			wants[name+":"+args] = want
		}
		refusedValues(t, wants)
	})
	refusedValues(t, map[string]string{
		"retry_queue:delayed=0":        "",
		"retry_queue:delayed=-1":       "strategy retry_queue: delayed -1: want 0 to 16777216",
		"retry_queue:delayed=16777217": "strategy retry_queue: delayed 16777217: want 0 to 16777216",
	})
}

func TestExhaustedError(t *testing.T) {
	for _, c := range []struct {
		err  strategies.ExhaustedError
		want string
	}{
		{strategies.ExhaustedError{Attempts: 3, Last: errFlaky}, "exhausted: attempt 3 was the last: not yet"},
		{strategies.ExhaustedError{Attempts: 1}, "exhausted: attempt 1 was the last, and failed without an error"},
	} {
		err := fmt.Errorf("wrapped: %w", &c.err)
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if !errors.Is(err, strategies.ErrExhausted) || errors.Is(err, strategies.ErrAbandoned) {
			t.Errorf("%v is not ErrExhausted, or another", err)
		}
		if c.err.Last != nil && !errors.Is(err, errFlaky) {
			t.Errorf("%v is not its last error", err)
		}
	}
}
