package targets_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

// The n-th concurrent call takes 10 ms · (1 + slope·max(0, n−knee)).
func TestBrownoutSlowsDownAboveTheKnee(t *testing.T) {
	for _, c := range []struct {
		knee  int
		slope string
		added time.Duration // per call above the knee
	}{{10, "0.2", 2 * time.Millisecond}, {0, "1.5", 15 * time.Millisecond}, {5, "0", 0},
		{19, "0.3333333", 3333333}} {
		synctest.Test(t, func(t *testing.T) {
			target := build(t, fmt.Sprintf("brownout:knee=%d,slope=%s", c.knee, c.slope))
			var wg sync.WaitGroup
			for n := 1; n <= 20; n++ {
				wg.Go(func() {
					began, failure := time.Now(), errors.New("the work's own")
					err := target.Call(t.Context(), 0, func(context.Context, uint64) error {
						time.Sleep(10 * time.Millisecond)
						return failure
					})
					want := 10*time.Millisecond + time.Duration(max(0, n-c.knee))*c.added
					if took := time.Since(began); took != want || !errors.Is(err, failure) {
						t.Errorf("knee %d, slope %s: call %d took %v, want %v; %v", c.knee, c.slope,
							n, took, want, err)
					}
				})
				synctest.Wait()
			}
			wg.Wait()
			want := fmt.Sprintf("[{admitted-calls 20} {refused-calls 0} {abandoned-calls 0} "+
				"{delayed-calls %d}]", 20-c.knee)
			if got := fmt.Sprint(target.(targets.Counted).Counts()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// The throughput of n clients is n/(S·(1+slope·(n−knee))). Clients start 1 µs apart, so no two
// calls end at the same time.
func TestBrownoutThroughputFalls(t *testing.T) {
	for n, want := range map[int]int64{5: 1050, 10: 2100, 20: 1400, 40: 1200} {
		synctest.Test(t, func(t *testing.T) {
			target := build(t, "brownout:knee=10,slope=0.2")
			var done atomic.Int64
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					time.Sleep(time.Duration(i) * time.Microsecond)
					for ctx.Err() == nil {
						if target.Call(ctx, 0, sleeps(10*time.Millisecond)) == nil {
							done.Add(1)
						}
					}
				})
			}
			time.Sleep(time.Second + 500)
			before := done.Load()
			time.Sleep(2100 * time.Millisecond)
			if got := done.Load() - before; got != want {
				t.Errorf("%d clients complete %d calls in 2.1 s, want %d", n, got, want)
			}
			cancel()
			wg.Wait()
		})
	}
}

func TestBrownoutEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, began := build(t, "brownout:knee=0,slope=100"), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := target.Call(ctx, 0, sleeps(10*time.Millisecond)); !errors.Is(err,
			context.DeadlineExceeded) || time.Since(began) != 50*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if got := target.(targets.Counted).Counts()[0].Value; got != 1 {
			t.Errorf("%d admitted", got)
		}
	})
}

// 50 ms after the first call, the knee changes from 3 to 1, which affects two of three calls.
func TestBrownoutKneeChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "brownout:knee=3,slope=1,later=1,after=50ms")
		time.Sleep(time.Hour)
		for _, want := range [][3]time.Duration{
			{10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond},
			{10 * time.Millisecond, 10 * time.Millisecond, 10 * time.Millisecond},
			{10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond},
		} {
			var took [3]time.Duration
			var wg sync.WaitGroup
			for i := range took {
				wg.Go(func() {
					began := time.Now()
					if err := target.Call(t.Context(), 0, sleeps(10*time.Millisecond)); err != nil {
						t.Error(err)
					}
					took[i] = time.Since(began)
				})
				synctest.Wait()
			}
			wg.Wait()
			if took != want {
				t.Errorf("the calls take %v, want %v", took, want)
			}
			time.Sleep(15 * time.Millisecond) // rounds are 25 ms apart
		}
	})
}
