package builtin_test

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
	"github.com/poolbench/poolbench/strategies/strategytest"
)

const ms = time.Millisecond

func retrying(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range []string{"retry_in_place", "retry_queue"} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}

// A flaky task takes 1 ms per attempt and fails with Retry and After before attempt ok (0: always).
type flaky struct {
	strategies.Task
	ok    int
	after time.Duration
	begin time.Time
	spans [][2]time.Duration // start and end of each attempt
}

// endless ends unlimited retries, so they fail a test instead of hanging it.
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

// A backoff is an independent implementation in big integers.
type backoff struct {
	jitter    string
	base, cap time.Duration
	seed      uint64
}

// wait returns the wait before attempt n+1, with b = min(cap, base·2ⁿ⁻¹):
//
//	none          b
//	full          uniform(0, b)
//	equal         b/2 + uniform(0, b/2)
//	decorrelated  min(cap, uniform(base, 3·previous)), starting with base
//
// The random number is the nth of PCG(seed, ordinal), divided by 2⁶⁴.
func (k backoff) wait(ordinal uint64, n int) time.Duration {
	source := rand.NewPCG(k.seed, ordinal)
	uniform := func(low, high *big.Int) *big.Int {
		wait := new(big.Int).SetUint64(source.Uint64())
		width := new(big.Int).Sub(high, low)
		wait.Mul(wait, width.Add(width, big.NewInt(1)))
		return wait.Add(low, wait.Rsh(wait, 64))
	}
	least := func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}
	base, limit := big.NewInt(int64(k.base)), big.NewInt(int64(k.cap))
	if k.jitter == "decorrelated" {
		wait := base
		for range n {
			wait = least(limit, uniform(base, new(big.Int).Mul(wait, big.NewInt(3))))
		}
		return time.Duration(wait.Int64())
	}
	for range n - 1 {
		source.Uint64()
	}
	b := least(limit, new(big.Int).Lsh(base, uint(n-1)))
	switch k.jitter {
	case "none":
	case "full":
		b = uniform(new(big.Int), b)
	case "equal":
		b = uniform(new(big.Int).Rsh(b, 1), b)
	}
	return time.Duration(b.Int64())
}

func TestRetryWaits(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		type waits struct {
			args     string
			attempts int
			backoff
			// the requested wait, and the minimum in addition to the backoff
			after, least time.Duration
		}
		cases := []waits{
			{"", 3, backoff{"full", 100 * ms, 10 * time.Second, 1}, 0, 0},
			{":attempts=1", 1, backoff{}, 0, 0},
			{":attempts=7,base=10ms,cap=35ms,seed=-2", 7,
				backoff{"full", 10 * ms, 35 * ms, ^uint64(1)}, 70 * ms, 70 * ms},
			{":attempts=4,base=0s,cap=0s", 4, backoff{"full", 0, 0, 1}, 20 * ms, 20 * ms},
			{":attempts=4,base=1ms,cap=1ms", 4, backoff{"full", ms, ms, 1}, -time.Hour, 0},
			{":attempts=9,after=ignore", 9, backoff{"full", 100 * ms, 10 * time.Second, 1},
				time.Hour, 0},
			{":attempts=9,after=heed", 9, backoff{"full", 100 * ms, 10 * time.Second, 1}, 0, 0},
			{":attempts=9,jitter=none,after=heed", 9,
				backoff{"none", 100 * ms, 10 * time.Second, 1}, -1, 0},
			{":attempts=9,after=heed", 9, backoff{"none", 0, 0, 1}, 30 * ms, 30 * ms},
			{":attempts=9,jitter=none,after=heed", 9, backoff{"none", 0, 0, 1}, 1, 1},
		}
		for _, jitter := range []string{"none", "full", "equal", "decorrelated"} {
			of := ",jitter=" + jitter
			cases = append(cases,
				waits{":attempts=9,base=10ms,cap=35ms" + of, 9,
					backoff{jitter, 10 * ms, 35 * ms, 1}, 0, 0},
				// 7 ns cannot be halved
				waits{":attempts=9,base=7ns,seed=5" + of, 9,
					backoff{jitter, 7, 10 * time.Second, 5}, 70 * ms, 70 * ms},
				waits{":attempts=5,base=0s" + of, 5, backoff{jitter, 0, 10 * time.Second, 1}, 0, 0},
				waits{":attempts=5,base=3ms,cap=3ms" + of, 5, backoff{jitter, 3 * ms, 3 * ms, 1}, 0,
					0},
				waits{":attempts=200,base=1ns,cap=1h,seed=3" + of, 200,
					backoff{jitter, 1, time.Hour, 3}, 0, 0},
			)
		}
		for _, c := range cases {
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
						want := c.least + c.wait(uint64(ordinal), n)
						if got := f.spans[n][0] - f.spans[n-1][1]; got != want {
							t.Fatalf("%s: task %d waited %v after attempt %d, want %v", c.args,
								ordinal, got, n, want)
						}
					}
				}
				for range tasks {
					var e *strategies.ExhaustedError
					if got := <-log.done; !errors.As(got.err, &e) ||
						*e != (strategies.ExhaustedError{Attempts: c.attempts, Last: errFlaky}) {
						t.Fatalf("%s: done with %v", c.args, got.err)
					}
				}
			})
		}
	})
}

// The pairs are the ranges of the waits before attempts 2 to 5. The formulas are from the AWS blog.
func TestRetryJitterByHand(t *testing.T) {
	const s = time.Second
	for jitter, want := range map[string][4][2]time.Duration{
		"none":         {{s, s}, {2 * s, 2 * s}, {4 * s, 4 * s}, {4 * s, 4 * s}},
		"full":         {{0, s}, {0, 2 * s}, {0, 4 * s}, {0, 4 * s}},
		"equal":        {{s / 2, s}, {s, 2 * s}, {2 * s, 4 * s}, {2 * s, 4 * s}},
		"decorrelated": {{s, 3 * s}, {s, 4 * s}, {s, 4 * s}, {s, 4 * s}},
	} {
		synctest.Test(t, func(t *testing.T) {
			const n = 1000
			spec, p := variant(t, "retry_queue:attempts=5,base=1s,cap=4s,jitter="+jitter, n, 0)
			strategy := spec.New(t.Context(), p, newLog(n))
			var tasks []*flaky
			for range n {
				f := newFlaky(0, 0)
				tasks = append(tasks, f)
				accept(t, strategy, &f.Task)
			}
			drainAll(t, strategy)
			for attempt, want := range want {
				low, high := 10*s, time.Duration(0)
				for _, f := range tasks {
					wait := f.spans[attempt+1][0] - f.spans[attempt][1]
					low, high = min(low, wait), max(high, wait)
				}
				// Some of 1000 draws are within a twentieth of each end, except with
				// probability 10⁻⁵.
				width := (want[1] - want[0]) / 20
				if low < want[0] || low > want[0]+width || high > want[1] || high < want[1]-width {
					t.Errorf("%s: waits before attempt %d from %v to %v, want %v", jitter,
						attempt+2, low, high, want)
				}
			}
		})
	}
}

// This tests non-default jitter and requested waits.
func TestRetryContract(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		spec, _ := variant(t, name, 1, 0)
		spec.Keys = slices.Clone(spec.Keys)
		for i, k := range spec.Keys {
			switch k.Name {
			case "jitter":
				spec.Keys[i].Default = "decorrelated"
			case "after":
				spec.Keys[i].Default = "heed"
			}
		}
		strategytest.Run(t, spec)
	})
}

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

// The first 8 tasks succeed a second after their failure. 800 tasks of 1 ms follow.
func TestRetrySlots(t *testing.T) {
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
				t.Errorf("%s: the last good task was done at %v, want %v; the last bad one at "+
					"%v, want %v",
					c.name, lastGood, c.lastGood, lastBad, c.lastBad)
			}
		})
	}
}

func TestRetryFinal(t *testing.T) {
	own := errors.New("own")
	retrying(t, func(t *testing.T, name string) {
		for _, c := range []struct {
			what   string
			second func() strategies.Result
			is     func(error) bool
		}{
			{"success", func() strategies.Result { return strategies.Result{} },
				func(err error) bool { return err == nil }},
			{"an error without Retry",
				func() strategies.Result { return strategies.Result{Err: own} },
				func(err error) bool { return err == own }},
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
				accept(t, s, &strategies.Task{
					Run: func(context.Context, *strategies.Task) strategies.Result {
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

// A retried sub-task repeats its parent, a retried step only itself.
func TestRetryOfParts(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 2)
			log := newLog(2)
			s := spec.New(t.Context(), p, log)
			var trace []string
			note := func(what string, results ...strategies.Result) func(context.Context,
				*strategies.Task) strategies.Result {
				calls := 0
				return func(context.Context, *strategies.Task) strategies.Result {
					calls++
					trace = append(trace, fmt.Sprint(what, calls))
					return results[calls-1]
				}
			}
			again := strategies.Result{Err: errFlaky, Retry: true}
			more := strategies.Result{More: true}
			accept(t, s, &strategies.Task{Run: note("step", more, again, more,
				strategies.Result{})})
			synctest.Wait()
			time.Sleep(time.Minute)
			parts := []*strategies.Task{{Run: note("a", strategies.Result{}, strategies.Result{})},
				{Run: note("b", again, strategies.Result{})},
				{Run: note("c", strategies.Result{})}}
			accept(t, s, &strategies.Task{Run: note("parent", strategies.Result{Split: parts},
				strategies.Result{Split: parts[1:]})})
			drainAll(t, s)
			want := []string{"step1", "step2", "step3", "step4", "parent1", "a1", "b1",
				"parent2", "b2", "c1"}
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

func TestExhaustedTaskSubmittedAgain(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		synctest.Test(t, func(t *testing.T) {
			spec, p := variant(t, name, 1, 0)
			log := newLog(1)
			s := spec.New(t.Context(), p, log)
			f := newFlaky(6, 0)
			accept(t, s, &f.Task)
			if e := <-log.done; len(f.spans) != 3 || !errors.Is(e.err, strategies.ErrExhausted) ||
				!errors.Is(e.err, errFlaky) {
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

func TestExhaustedTaskOnOtherInstance(t *testing.T) {
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
			synctest.Wait() // wait until it runs
			accept(t, s, &f.Task)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var e *strategies.DrainError
			if err := s.Drain(ctx); !errors.As(err, &e) || e.Abandoned != 1 {
				t.Errorf("after the worker pool has abandoned a task that did not run there, "+
					"Drain returned %v", err)
			}
		})
	})
}

func TestRetryParameters(t *testing.T) {
	retrying(t, func(t *testing.T, name string) {
		wants := make(map[string]string)
		for args, want := range map[string]string{
			"attempts=1":                       "",
			"attempts=1000":                    "",
			"attempts=0":                       "attempts 0: want 1 to 1000",
			"attempts=1001":                    "attempts 1001: want 1 to 1000",
			"base=0s,cap=0s":                   "",
			"base=2s,cap=1s":                   "cap 1s is below base 2s",
			"base=11s":                         "cap 10s is below base 11s",
			"base=1ns,cap=2562047h":            "",
			"seed=-9223372036854775808":        "",
			"jitter=decorrelated,after=ignore": "",
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
		{strategies.ExhaustedError{Attempts: 3, Last: errFlaky},
			"exhausted: attempt 3 was the last: not yet"},
		{strategies.ExhaustedError{Attempts: 1},
			"exhausted: attempt 1 was the last, and failed without an error"},
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
