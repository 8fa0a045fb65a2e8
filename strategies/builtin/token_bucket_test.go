package builtin_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

func TestTokenBucketParameters(t *testing.T) {
	refusedValues(t, map[string]string{
		"token_bucket":                  "",
		"token_bucket:rate=0.001":       "",
		"token_bucket:rate=0":           "strategy token_bucket: rate must be above 0",
		"token_bucket:rate=-1":          "strategy token_bucket: rate must be above 0",
		"token_bucket:burst=0":          "strategy token_bucket: burst must be at least 1",
		"token_bucket:burst=-1":         "strategy token_bucket: burst must be at least 1",
		"token_bucket:rate=100,burst=5": "",
	})
}

func TestTokenBucketRate(t *testing.T) {
	for _, test := range []struct {
		variant       string
		first, second time.Duration
	}{
		{"token_bucket:rate=100,burst=1", 1990 * time.Millisecond, 990 * time.Millisecond},
		{"token_bucket:rate=100,burst=5", 1950 * time.Millisecond, 950 * time.Millisecond},
		{"token_bucket:rate=100,burst=50", 1500 * time.Millisecond, 500 * time.Millisecond},
		// 40 tokens are left and 50 arrive, so 10 are missing
		{"token_bucket:rate=100,burst=240", 0, 100 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(300)
			s := startVariant(t, test.variant, 2, 300, log)
			tasks := sleeps(300, 0)
			submit(t, s, tasks[:200])
			var last entry
			for range 200 {
				last = <-log.done
			}
			if last.at != test.first {
				t.Errorf("%s: 200 tasks took %v, want %v", test.variant, last.at, test.first)
			}
			time.Sleep(500 * time.Millisecond)
			begin := time.Since(log.start)
			submit(t, s, tasks[200:])
			for range 100 {
				last = <-log.done
			}
			if last.at-begin != test.second {
				t.Errorf("%s: 100 tasks more took %v, want %v", test.variant,
					last.at-begin, test.second)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTokenBucketWaitsForSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(20)
		s := startVariant(t, "token_bucket:rate=100,burst=2", 3, 20, log)
		long, short := sleeps(2, time.Second), sleeps(8, 0)
		third := sleeps(1, 500*time.Millisecond)
		submit(t, s, long)
		submit(t, s, third) // at 10 ms
		submit(t, s, short) // a slot is free at 510 ms, and two tokens
		want := []time.Duration{510, 510, 510, 520, 530, 540, 550, 560, 570}
		for i, at := range want {
			if e := <-log.done; e.at != at*time.Millisecond {
				t.Errorf("number %d was done at %v, want %v", i, e.at, at*time.Millisecond)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestTokenBucketAbandons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(3)
		s := startVariant(t, "token_bucket:rate=1,burst=1", 2, 1, log)
		submit(t, s, sleeps(3, 0))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var e *strategies.DrainError
		if err := s.Drain(ctx); !errors.As(err, &e) ||
			*e != (strategies.DrainError{Abandoned: 2, Cause: context.DeadlineExceeded}) {
			t.Errorf("Drain: %v", err)
		}
		if at := time.Since(log.start); at != 100*time.Millisecond {
			t.Errorf("Drain returned at %v, want 100ms", at)
		}
	})
}

// At 80 tasks/s, a rate of 100/s and a burst of 5, each delay is (W − (b−1)/r)⁺, where W is the
// wait in M/D/1 by Lindley's recursion: mean 3.5888 ms, P(delay > 0) 0.154625, p99 63.56 ms. Four
// standard deviations are 7.1, 3.6 and 6.5 % for two million tasks, and √20 times as much here.
func TestTokenBucketDelay(t *testing.T) {
	const warm, n = 10_000, 100_000
	const period = 10 * time.Millisecond
	due := make([]time.Duration, warm+n)
	random := rand.New(rand.NewPCG(1, 5))
	for i := range due[1:] {
		due[i+1] = due[i] + time.Duration(random.ExpFloat64()*float64(time.Second)/80)
	}
	delays := make([]time.Duration, 0, n)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		starts := make([]time.Duration, len(due))
		run := func(_ context.Context, t *strategies.Task) strategies.Result {
			*t.Arg.(*time.Duration) = time.Since(began)
			return strategies.Result{}
		}
		tasks := make([]strategies.Task, len(due))
		s := startVariant(t, "token_bucket:rate=100,burst=5", 4, 10_000,
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
		for i := range tasks {
			tasks[i] = strategies.Task{Run: run, Arg: &starts[i]}
			time.Sleep(due[i] - time.Since(began))
			if err := s.Submit(t.Context(), &tasks[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		var wait time.Duration // W
		for i := range due {
			if i > 0 {
				wait = max(0, wait+period-(due[i]-due[i-1]))
			}
			got, want := starts[i]-due[i], max(0, wait-4*period)
			if off := got - want; off < -time.Nanosecond || off > time.Nanosecond {
				// rate counts tokens in float64
				t.Fatalf("task %d waited %v, want %v", i, got, want)
			}
			if i >= warm {
				delays = append(delays, got)
			}
		}
	})
	var sum time.Duration
	delayed := 0
	for _, d := range delays {
		sum += d
		if d > 0 {
			delayed++
		}
	}
	slices.Sort(delays)
	for _, test := range []struct {
		what                 string
		got, want, tolerance float64
	}{
		{"mean delay in ms", float64(sum) / n / 1e6, 3.5888, 0.071},
		{"P(delay > 0)", float64(delayed) / n, 0.154625, 0.036},
		{"p99 delay in ms", float64(delays[n/100*99-1]) / 1e6, 63.56, 0.065},
	} {
		off := test.got/test.want - 1
		t.Logf("%s: %.4f, %+.1f %%", test.what, test.got, 100*off)
		if math.Abs(off) > test.tolerance*math.Sqrt(20) {
			t.Errorf("%s is %.4f, want %.4f ± %.0f %%", test.what, test.got, test.want,
				100*test.tolerance*math.Sqrt(20))
		}
	}
}
