package builtin_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func (l *log) recordStart(_ context.Context, t *strategies.Task) strategies.Result {
	*t.Arg.(*time.Duration) = time.Since(l.start)
	return strategies.Result{}
}

// Each start must match a recursion. The delays must match the model (W + U − D)⁺ with W of M/D/1,
// at 80 arrivals/s and a tick of 10 ms: mean 16.330 ms, P(delay > 0) 0.693615, p99 98.74 ms. Four
// standard deviations at 2 million tasks are 2.5, 0.6 and 4.2 %, and √10 times as much here.
//
// The test uses one processor. With two, a late tick and the bubble's own timers may be delivered
// concurrently, and the race detector aborts with "ThreadSanitizer: CHECK failed"
// (go.dev/issue/78156).
func TestTickerDelay(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const (
		n        = 200_000
		interval = 10 * time.Millisecond
		gap      = time.Second / 80
	)
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 5))
		done := make(chan struct{}, n)
		log := newLog(0)
		s := startVariant(t, "ticker_limited:rate=100", 64, n,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) { done <- struct{}{} }))
		arrivals, starts := make([]time.Duration, n), make([]time.Duration, n)
		tasks := make([]strategies.Task, n)
		at := time.Duration(0)
		for i := range tasks {
			at += time.Duration(random.ExpFloat64() * float64(gap))
			tasks[i] = strategies.Task{Run: log.recordStart, Arg: &starts[i]}
			arrivals[i] = submitAt(t, s, log, at, &tasks[i])
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}

		delays, sum, late := make([]time.Duration, n), 0.0, 0
		previous := time.Duration(0)
		for i, arrival := range arrivals {
			start := max(arrival, previous)
			if start/interval == previous/interval { // no tick since the last used one
				start = (start/interval + 1) * interval
			}
			if starts[i] != start {
				t.Fatalf("task %d came at %v, after a start at %v, and was started at %v, want %v",
					i, arrival, previous, starts[i], start)
			}
			previous = start
			delays[i] = start - arrival
			sum += float64(delays[i])
			if delays[i] > 0 {
				late++
			}
		}
		slices.Sort(delays)
		for name, c := range map[string]struct{ got, want, within float64 }{
			"mean":    {sum / n / 1e6, 16.330, 0.025},
			"P(late)": {float64(late) / n, 0.693615, 0.006},
			"p99":     {float64(delays[n*99/100-1]) / 1e6, 98.74, 0.042},
		} {
			if off := c.got/c.want - 1; math.Abs(off) > c.within*math.Sqrt(10) {
				t.Errorf("%s of the delay is %.6g, want %.6g: off by %.1f%%", name,
					c.got, c.want, 100*off)
			}
		}
	})
}

// Of the ticks during the pause of half a second, one is kept.
func TestTickerRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(300)
		s := startVariant(t, "ticker_limited:rate=100", 1000, 0, log)
		starts := make([]time.Duration, 300)
		for i := range starts {
			at, want := 0*ms, time.Duration(i+1)*10*ms
			if i >= 200 {
				at, want = 2500*ms+ms/2, 2500*ms+ms/2
				if i > 200 {
					want = 2500*ms + time.Duration(i-200)*10*ms
				}
			}
			starts[i] = -want
			submitAt(t, s, log, at,
				&strategies.Task{Run: func(context.Context, *strategies.Task) strategies.Result {
					starts[i] += time.Since(log.start)
					return strategies.Result{}
				}})
		}
		drained(t, s, log)
		for i, off := range starts {
			if off != 0 {
				t.Errorf("task %d was started %v after it should have been", i, off)
			}
		}
	})
}

// With one slot, a tick is kept during a task, so the next start is immediate.
func TestTickerAndLimit(t *testing.T) {
	const ms = time.Millisecond
	for limit, want := range map[int][]time.Duration{
		4: {35 * ms, 45 * ms, 55 * ms, 65 * ms},
		1: {35 * ms, 60 * ms, 85 * ms, 110 * ms},
		2: {35 * ms, 45 * ms, 60 * ms, 70 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(4)
			s := startVariant(t, "ticker_limited:rate=100", limit, 4, log)
			tasks := sleeps(4, 25*ms)
			for i := range tasks {
				submitAt(t, s, log, 0, &tasks[i])
			}
			got := drained(t, s, log)
			for i := range tasks {
				if at := got[&tasks[i]].at; at != want[i] {
					t.Errorf("limit %d: task %d was done at %v, want %v", limit, i, at, want[i])
				}
			}
		})
	}
}

func TestTickerAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		log := newLog(10)
		s := startVariant(t, "ticker_limited:rate=100", 4, 6, log)
		tasks := sleeps(10, 7*ms)
		for i := range tasks {
			submitAt(t, s, log, 0, &tasks[i])
		}
		ctx, cancel := context.WithTimeout(t.Context(), 12*ms)
		defer cancel()
		err := s.Drain(ctx)
		if want := (strategies.DrainError{Abandoned: 9,
			Cause: context.DeadlineExceeded}); err == nil || *err.(*strategies.DrainError) != want {
			t.Errorf("Drain: %v", err)
		}
		if at := time.Since(log.start); at != 17*ms {
			t.Errorf("Drain returned at %v", at)
		}
		for range tasks {
			e := <-log.done
			want := entry{e.task, 12 * ms, strategies.ErrAbandoned}
			if e.task == &tasks[0] {
				want = entry{e.task, 17 * ms, nil}
			}
			if e != want {
				t.Errorf("done at %v with error %v, want %v, %v", e.at, e.err, want.at, want.err)
			}
		}
	})
}

func TestTickerParameters(t *testing.T) {
	const refused = "strategy ticker_limited: rate must be from 0.000001 to 1e9 per second"
	refusedValues(t, map[string]string{
		"ticker_limited":           "",
		"ticker_limited:rate=0.5":  "",
		"ticker_limited:rate=1e9":  "",
		"ticker_limited:rate=0":    refused,
		"ticker_limited:rate=-1":   refused,
		"ticker_limited:rate=2e9":  refused,
		"ticker_limited:rate=1e-9": refused,
	})
}
