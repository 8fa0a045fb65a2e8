package workloads_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/workloads"
)

func TestWaitsAreExactUnderTheVirtualClock(t *testing.T) {
	for _, s := range waitVariants {
		synctest.Test(t, func(t *testing.T) {
			w := build(t, s, 1)
			cancellable, cancel := context.WithCancel(context.Background())
			defer cancel()
			for seq := range uint64(100) {
				want := w.(workloads.Timed).Time(seq)
				for _, ctx := range []context.Context{context.Background(), cancellable} {
					began := time.Now()
					if err := w.Do(ctx, seq); err != nil {
						t.Fatalf("%s: %v", s, err)
					}
					if got := time.Since(began); got != want {
						t.Fatalf("%s: task %d took %v, want %v", s, seq, got, want)
					}
				}
			}
		})
	}
}

func TestConcurrentWaitsAreExactToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, "hyperexp", 1)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var wg sync.WaitGroup
		for g := range uint64(16) {
			wg.Go(func() {
				for seq := g; seq < 320; seq += 16 {
					began := time.Now()
					if err := w.Do(ctx, seq); err != nil {
						t.Error(err)
					}
					if got, want := time.Since(began), w.(workloads.Timed).Time(seq); got != want {
						t.Errorf("task %d took %v, want %v", seq, got, want)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, "constant:mean=10ms", 1)
		for range 3 { // with the timers that the first round left
			ctx, cancel := context.WithTimeout(context.Background(), 4*time.Millisecond)
			began := time.Now()
			err := w.Do(ctx, 1)
			if got := time.Since(began); !errors.Is(err, context.DeadlineExceeded) ||
				got != 4*time.Millisecond {
				t.Errorf("a deadline after 4ms ended the wait after %v with %v", got, err)
			}
			cancel()

			ctx, cancel = context.WithCancel(context.Background())
			began = time.Now()
			time.AfterFunc(7*time.Millisecond, cancel)
			err = w.Do(ctx, 1)
			if got := time.Since(began); !errors.Is(err, context.Canceled) ||
				got != 7*time.Millisecond {
				t.Errorf("cancelling after 7ms ended the wait after %v with %v", got, err)
			}

			began = time.Now()
			if err := w.Do(ctx, 1); !errors.Is(err, context.Canceled) || time.Since(began) != 0 {
				t.Errorf("with an ended context it waited %v and returned %v",
					time.Since(began), err)
			}

			ctx, cancel = context.WithCancel(context.Background())
			began = time.Now()
			if err := w.Do(ctx, 1); err != nil || time.Since(began) != 10*time.Millisecond {
				t.Errorf("after those, a task took %v and returned %v", time.Since(began), err)
			}
			cancel()
		}
	})
}

// From its second wait on, one watcher serves all waits of a context.
func TestWatchedWaitsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, "constant:mean=10ms", 1)
		ctx, cancel := context.WithCancel(context.Background())
		for range 2 {
			if err := w.Do(ctx, 0); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		const others = 50
		ends := make(chan error, others)
		for i := range others {
			go func() {
				time.Sleep(time.Duration(i) * 10 * time.Microsecond)
				ends <- w.Do(ctx, 1)
			}()
		}
		time.Sleep(7 * time.Millisecond)
		cancel()
		for range others {
			if err := <-ends; !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled in the middle, a wait returned %v", err)
			}
		}
		if got := time.Since(began); got != 7*time.Millisecond {
			t.Errorf("cancelled after 7ms, the last wait ended after %v", got)
		}
		if err := w.Do(ctx, 1); !errors.Is(err, context.Canceled) ||
			time.Since(began) != 7*time.Millisecond {
			t.Errorf("after the end of its context a wait took time and returned %v", err)
		}
		other, cancel := context.WithCancel(context.Background())
		defer cancel()
		began = time.Now()
		for range 3 {
			if err := w.Do(other, 1); err != nil {
				t.Errorf("with another context a wait returned %v", err)
			}
		}
		if got := time.Since(began); got != 30*time.Millisecond {
			t.Errorf("with another context three waits took %v", got)
		}
	})
}

func TestWatchedWaitsRaceWithTheEnd(t *testing.T) {
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		w := build(t, "constant:mean=20us", 1)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for ctx.Err() == nil {
					if err := w.Do(ctx, 1); err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		cancel()
		wg.Wait()
	}
}

// An ended context must prevent even a task that takes no time.
func TestEndedContextComesFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := build(t, "bimodal:p=0.01,short=0s,long=1ns", 1)
	for seq := range uint64(100) {
		if err := w.Do(ctx, seq); !errors.Is(err, context.Canceled) {
			t.Fatalf("task %d: %v", seq, err)
		}
	}
}

func TestWaitsDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool drops items under the race detector")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, s := range []string{"constant:mean=1us", "exponential:mean=1us", "lognormal:mean=1us",
		"bimodal:short=1us,long=2us", "hyperexp:mean=1us",
		"mixture:w1=0.5,d1=1us,w2=0.5,d2=exp(1us)", "bounded_pareto:low=1us,high=2us",
		"two_class:mean=1us,r=2", "trace:file=testdata/us.csv"} {
		w := build(t, s, 1)
		var seq uint64
		if n := testing.AllocsPerRun(100, func() {
			seq++
			if err := w.Do(ctx, seq); err != nil {
				t.Error(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations a task", s, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			seq++
			if err := w.Do(context.Background(), seq); err != nil {
				t.Error(err)
			}
			w.(workloads.Timed).Time(seq)
		}); n != 0 {
			t.Errorf("%s: %v allocations a task that cannot be cancelled", s, n)
		}
	}
}

func BenchmarkTime(b *testing.B) {
	w := build(b, "exponential", 1).(workloads.Timed)
	b.ReportAllocs()
	var seq uint64
	for b.Loop() {
		seq++
		w.Time(seq)
	}
}

func TestParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := build(t, "lognormal:mean=10ms", 1)
		parts := w.(workloads.Partitioned)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for seq := range uint64(100) {
			const quantum = 3 * time.Millisecond
			start, n := time.Now(), 0
			for more := true; more; n++ {
				var err error
				if more, err = parts.DoPart(ctx, seq, time.Duration(n)*quantum,
					quantum); err != nil {
					t.Fatal(err)
				}
			}
			want := w.(workloads.Timed).Time(seq)
			if took := time.Since(start); took != want ||
				n != max(1, int((want+quantum-1)/quantum)) {
				t.Errorf("task %d: %d parts took %v, the task takes %v", seq, n, took, want)
			}
		}
		cancel()
		if _, err := parts.DoPart(ctx, 0, 0, time.Second); err != context.Canceled {
			t.Errorf("a part after the end of its context: %v", err)
		}
	})
}

func TestLong(t *testing.T) {
	for s, long := range map[string]time.Duration{
		"bimodal:p=0.3,short=1ms,long=50ms": 50 * time.Millisecond,
		"two_class:mean=7ms,r=2.5":          12250 * time.Microsecond, // p = 1/3.5
	} {
		w := build(t, s, 7)
		n := 0
		for seq := range uint64(1000) {
			want := w.(workloads.Timed).Time(seq) == long
			if got := w.(workloads.Classed).Long(seq); got != want {
				t.Fatalf("%s: task %d takes %v: long is %v", s, seq, w.(workloads.Timed).Time(seq),
					got)
			}
			if want {
				n++
			}
		}
		if n < 200 || n > 400 { // 300 or 286, ± 14.5: more than five standard deviations
			t.Errorf("%s: %d of 1000 tasks are long, want about 300", s, n)
		}
	}
}

func TestSleepBy(t *testing.T) {
	broken := errors.New("broken")
	for _, s := range waitVariants {
		w := build(t, s, 1)
		var slept []time.Duration
		w.(workloads.Waiting).SleepBy(func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return broken
		})
		ctx, cancel := context.WithCancel(t.Context())
		for seq := range uint64(10) {
			whole := w.(workloads.Timed).Time(seq)
			slept = slept[:0]
			if err := w.Do(ctx, seq); !errors.Is(err, broken) {
				t.Fatalf("%s: task %d: %v", s, seq, err)
			}
			if _, err := w.(workloads.Partitioned).DoPart(ctx, seq, whole/4,
				whole/2); !errors.Is(err, broken) {
				t.Fatalf("%s: a part of task %d: %v", s, seq, err)
			}
			if want := []time.Duration{whole, whole / 2}; !slices.Equal(slept, want) {
				t.Fatalf("%s: task %d slept %v, want %v", s, seq, slept, want)
			}
		}
		cancel()
		if err := w.Do(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: with an ended context it returned %v", s, err)
		}
	}
}
