package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

type attemptCounts struct {
	calls, ended atomic.Int64 // attempts; attempts whose context ended
}

func (f *attemptCounts) sleep(ctx context.Context, d time.Duration) strategies.Result {
	f.calls.Add(1)
	select {
	case <-time.After(d):
		return strategies.Result{}
	case <-ctx.Done():
		f.ended.Add(1)
		return strategies.Result{Err: ctx.Err()}
	}
}

func countsOf(s strategies.Strategy) map[string]int64 {
	counts := map[string]int64{}
	for _, c := range strategies.CountsOf(s) {
		counts[c.Name] = c.Value
	}
	return counts
}

// One call in 50 takes 20 times as long. With a second attempt after d, a response takes longer
// than t with probability S(t)·S(t−d), where S is the tail of a single call.
func TestHedgedTail(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	const ms = time.Millisecond
	survives := func(t float64) float64 {
		if t < 0 {
			return 1
		}
		return 0.98*math.Exp(-t/10) + 0.02*math.Exp(-t/200)
	}
	for _, after := range []time.Duration{30 * ms, 60 * ms} {
		law := func(t float64) float64 { return survives(t) * survives(t-float64(after/ms)) }
		p99, alone := quantile(law, 0.01), quantile(survives, 0.01)
		synctest.Test(t, func(t *testing.T) {
			random, mu := rand.New(rand.NewPCG(7, 1)), sync.Mutex{}
			draw := func() time.Duration {
				mu.Lock()
				defer mu.Unlock()
				mean := 10.0
				if random.IntN(50) == 0 {
					mean = 200
				}
				return time.Duration(random.ExpFloat64() * mean * float64(ms))
			}
			var f attemptCounts
			over, base := atomic.Int64{}, time.Now()
			s := startVariant(t, fmt.Sprintf("hedged:after=%v,budget=0.2+unbounded", after), 1, 0,
				strategies.SinkFunc(func(task *strategies.Task, r strategies.Result) {
					if r.Err != nil {
						t.Error(r.Err)
					}
					took := time.Since(base) - task.Deadline // the Deadline holds the start time
					if float64(took) > p99*float64(ms) {
						over.Add(1)
					}
				}))
			for range n {
				time.Sleep(ms)
				err := s.Submit(t.Context(), &strategies.Task{Deadline: time.Since(base),
					Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
						return f.sleep(ctx, draw())
					}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkCount(t, "responses above the p99", over.Load(), n, 0.01)
			counts := countsOf(s)
			checkCount(t, "second attempts", counts["hedges"], n, survives(float64(after/ms)))
			if p99 > 0.7*alone {
				t.Errorf("the p99 is %.1f ms, and %.1f ms without a second attempt", p99, alone)
			}
			if f.calls.Load() != int64(n)+counts["hedges"] {
				t.Errorf("%d attempts at %d tasks, and %d second ones counted", f.calls.Load(), n,
					counts["hedges"])
			}
			if f.ended.Load() != counts["hedges"] {
				t.Errorf("%d second attempts, and the context of %d attempts ended",
					counts["hedges"], f.ended.Load())
			}
			if w := counts["hedge-wins"]; w == 0 || w >= counts["hedges"] {
				t.Errorf("%d of %d second attempts won", w, counts["hedges"])
			}
			t.Logf("after %v: p99 %.1f ms where it was %.1f, %v", after, p99, alone, counts)
		})
	}
}

// quantile inverts a falling function at p.
func quantile(law func(float64) float64, p float64) float64 {
	low, high := 0.0, 1e6
	for range 200 {
		if mid := (low + high) / 2; law(mid) > p {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// checkCount allows four standard deviations of n independent trials.
func checkCount(t *testing.T, what string, count int64, n int, p float64) {
	t.Helper()
	want := p * float64(n)
	if off := math.Abs(float64(count) - want); off > 4*math.Sqrt(want*(1-p)) {
		t.Errorf("%s: %d of %d, want some %.0f", what, count, n, want)
	}
}

// Second attempts start after the quantile of the last 200 calls.
func TestHedgedQuantile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f attemptCounts
		s := startVariant(t, "hedged:quantile=0.9,budget=1+worker_pool", 1, 0,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
		one := func(d time.Duration) (took time.Duration) {
			began, done := time.Now(), make(chan time.Duration, 1)
			attempts := atomic.Int64{}
			err := s.Submit(t.Context(), &strategies.Task{
				Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
					takes := d
					if attempts.Add(1) > 1 {
						takes = 0
					}
					r := f.sleep(ctx, takes)
					if r.Err == nil {
						done <- time.Since(began)
					}
					return r
				}})
			if err != nil {
				t.Fatal(err)
			}
			return <-done
		}
		for i := range 200 { // from 1 to 200 ms, in another order
			if d := time.Duration(i*77%200+1) * time.Millisecond; one(d) != d {
				t.Fatalf("call %d had a second attempt", i)
			}
		}
		// the quantile is rounded up to the next call
		if took, want := one(time.Hour), 181*time.Millisecond+1; took != want {
			t.Errorf("after 1 to 200 ms the second attempt came after %v, want %v", took, want)
		}
		before := f.calls.Load()
		for range 220 {
			one(5 * time.Millisecond)
		}
		if n := f.calls.Load() - before; n != 220 {
			t.Errorf("%d attempts at 220 calls of one length", n)
		}
		if took, want := one(time.Hour), 5*time.Millisecond+1; took != want {
			t.Errorf("after calls of 5 ms it came after %v, want %v", took, want)
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Second attempts may be at most the budget's share of the calls so far, plus ten saved attempts.
func TestHedgeBudget(t *testing.T) {
	for _, budget := range []float64{0.01, 0.05, 0.3, 1} {
		synctest.Test(t, func(t *testing.T) {
			var calls, hedges atomic.Int64
			s := startVariant(t, fmt.Sprintf("hedged:after=10ms,budget=%v+semaphore", budget), 3, 0,
				strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
			submit := func(d time.Duration) {
				attempts := atomic.Int64{}
				err := s.Submit(t.Context(), &strategies.Task{
					Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
						if attempts.Add(1) == 1 {
							calls.Add(1)
						} else if most := budget * float64(calls.Load()); float64(hedges.Add(1)) >
							most+1e-9 {
							t.Errorf("budget %v: %d second attempts of %d calls", budget,
								hedges.Load(), calls.Load())
						}
						select {
						case <-time.After(d):
						case <-ctx.Done():
						}
						return strategies.Result{}
					}})
				if err != nil {
					t.Fatal(err)
				}
			}
			for range 1000 {
				submit(20 * time.Millisecond)
			}
			synctest.Wait()
			time.Sleep(time.Second)
			if got, want := hedges.Load(), int64(math.Round(budget*1000)); got < want-1 {
				t.Errorf("budget %v: %d second attempts of 1000 calls", budget, got)
			}
			for range 4000 {
				submit(time.Millisecond)
			}
			before := hedges.Load()
			for range 100 {
				submit(20 * time.Millisecond)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
			if got, most := hedges.Load()-before, int64(10+math.Ceil(budget*100)); got > most {
				t.Errorf("budget %v: after a calm time %d of 100, want at most %d", budget, got,
					most)
			}
		})
	}
}

func TestHedgedOutcome(t *testing.T) {
	failed, second := errors.New("failed"), errors.New("second failed")
	for _, c := range []struct {
		what                   string
		firstEnds, secondTakes time.Duration
		first, second          func() strategies.Result
		deaf                   bool // both attempts ignore their context
		want                   string
		at                     time.Duration
		hedges, wins           int64
	}{
		{"the first is in time", 10, 5, good, good, false, "<nil>", 10, 0, 0},
		{"the first wins", 30, 50, good, good, false, "<nil>", 30, 1, 0},
		{"the second wins", 90, 5, good, good, false, "<nil>", 15, 1, 1},
		{"the first is deaf", 90, 5, good, good, true, "<nil>", 90, 1, 1},
		{"the second is deaf", 20, 50, good, good, true, "<nil>", 60, 1, 0},
		{"the first fails before", 5, 5, fails(failed), good, false, "failed", 5, 0, 0},
		{"the first fails beside", 20, 50, fails(failed), good, false, "<nil>", 60, 1, 1},
		{"the second fails", 50, 5, good, fails(second), false, "<nil>", 50, 1, 0},
		{"both fail", 50, 5, fails(failed), fails(second), false, "failed", 50, 1, 0},
		{"both fail, the second last", 20, 50, fails(failed), fails(second), false, "failed", 60,
			1, 0},
		{"the first panics", 20, 50, panics, good, false, "the task panicked: now", 20, 1, 0},
		{"the second panics", 90, 5, good, panics, false, "the task panicked: now", 15, 1, 0},
		{"the second ends its goroutine", 90, 5, good, exits, false,
			strategies.ErrGoexit.Error(), 15, 1, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			type end struct {
				at  time.Duration
				err error
			}
			began, ends, running := time.Now(), make(chan end, 2), atomic.Int64{}
			s := startVariant(t, "hedged:after=10ms,budget=1+worker_pool", 1, 0,
				strategies.SinkFunc(func(task *strategies.Task, r strategies.Result) {
					if n := running.Load(); n > 0 {
						t.Errorf("%s: done while %d attempts ran", c.what, n)
					}
					ends <- end{time.Since(began).Truncate(time.Microsecond), r.Err}
				}))
			task := &strategies.Task{}
			task.Run = func(ctx context.Context, own *strategies.Task) strategies.Result {
				running.Add(1)
				defer running.Add(-1)
				takes, ends := c.firstEnds, c.first
				if own != task {
					takes, ends = c.secondTakes, c.second
				}
				hears := ctx.Done()
				if c.deaf {
					hears = nil
				}
				select {
				case <-time.After(takes * time.Millisecond):
					return ends()
				case <-hears:
					return strategies.Result{Err: ctx.Err()}
				}
			}
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			e := <-ends
			if e.at != c.at*time.Millisecond || fmt.Sprint(e.err) != c.want {
				t.Errorf("%s: done at %v with %v, want %v, %v", c.what, e.at, e.err,
					c.at*time.Millisecond, c.want)
			}
			want := map[string]int64{"hedges": c.hedges, "hedge-wins": c.wins}
			if got := countsOf(s); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: counted %v, want %v", c.what, got, want)
			}
			if err := s.Drain(t.Context()); err != nil || len(ends) > 0 {
				t.Errorf("%s: %v, or done twice", c.what, err)
			}
		})
	}
}

func good() strategies.Result   { return strategies.Result{} }
func panics() strategies.Result { panic("now") }
func exits() strategies.Result  { runtime.Goexit(); return strategies.Result{} }
func fails(err error) func() strategies.Result {
	return func() strategies.Result { return strategies.Result{Err: err} }
}

func TestHedgedPositions(t *testing.T) {
	for _, text := range []string{
		"hedged:after=10ms,budget=1+circuit_breaker+worker_pool",
		"circuit_breaker+hedged:after=10ms,budget=1+worker_pool",
		"hedged:after=10ms,budget=1+retry:base=0s+semaphore",
		"retry:base=0s+hedged:after=10ms,budget=1+semaphore",
		"hedged:after=10ms,budget=1+token_bucket:rate=1000,burst=10+worker_pool",
		"hedged:after=10ms,budget=1+retry_in_place:base=0s+worker_pool",
	} {
		synctest.Test(t, func(t *testing.T) {
			end := make(chan error, 2)
			s := startVariant(t, text, 2, 0, strategies.SinkFunc(
				func(_ *strategies.Task, r strategies.Result) { end <- r.Err }))
			first, second := atomic.Int64{}, atomic.Int64{}
			task := &strategies.Task{}
			task.Run = func(ctx context.Context, own *strategies.Task) strategies.Result {
				if own != task {
					second.Add(1)
					time.Sleep(time.Millisecond)
					return strategies.Result{}
				}
				first.Add(1)
				<-ctx.Done()
				return strategies.Result{Err: ctx.Err()}
			}
			if err := s.Submit(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			if err := <-end; err != nil || first.Load() != 1 || second.Load() != 1 {
				t.Errorf("%s: %d first and %d second attempts, %v", text, first.Load(),
					second.Load(), err)
			}
			if err := s.Drain(t.Context()); err != nil || len(end) > 0 {
				t.Errorf("%s: %v", text, err)
			}
		})
	}
}

func TestHedgedParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"hedged:quantile=0.5,after=1ms,budget=1": "",
		"hedged:quantile=1":                      "strategy hedged: quantile 1: want one above 0 and below 1",
		"hedged:budget=0":                        "strategy hedged: budget 0: want 0.000001 to 1",
	})
}

func TestHedgedRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tasks = 20
		var calls, done atomic.Int64
		const text = "retry_in_place:attempts=3,base=1ms,budget=1+hedged:after=10ms,budget=1"
		s := startVariant(t, text, 4, 0,
			strategies.SinkFunc(func(_ *strategies.Task, r strategies.Result) {
				if done.Add(1); r.Err != nil {
					t.Error(r.Err)
				}
			}))
		for range tasks {
			attempt := atomic.Int64{}
			if err := s.Submit(t.Context(), &strategies.Task{
				Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
					calls.Add(1)
					switch attempt.Add(1) {
					case 1: // the first attempt, which loses
						<-ctx.Done()
						return strategies.Result{Err: ctx.Err()}
					case 2: // the second attempt, which requests another
						return strategies.Result{Retry: true, Err: errors.New("busy")}
					}
					return strategies.Result{}
				}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if done.Load() != tasks || calls.Load() != 3*tasks || countsOf(s)["hedge-wins"] != tasks {
			t.Errorf("%d tasks, %d attempts, %v; want %d, %d and as many wins", done.Load(),
				calls.Load(), countsOf(s), tasks, 3*tasks)
		}
	})
}
