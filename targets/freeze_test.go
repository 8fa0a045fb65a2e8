package targets_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

func TestFreezeLetsNothingInOrOut(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ at, work, begins, ends time.Duration }{
		{0, 1 * ms, 0, 1 * ms},
		{1499 * ms, 1*ms - 1, 1499 * ms, 1500*ms - 1},
		{1499 * ms, 1 * ms, 1499 * ms, 2000 * ms}, // frozen from the first nanosecond
		{1500 * ms, 1 * ms, 2000 * ms, 2001 * ms},
		{1700 * ms, 1 * ms, 2000 * ms, 2001 * ms},
		{2000*ms - 1, 1 * ms, 2000 * ms, 2001 * ms}, // frozen to the last nanosecond
		{2000 * ms, 1 * ms, 2000 * ms, 2001 * ms},
		{1400 * ms, 800 * ms, 1400 * ms, 2200 * ms}, // work continues during the freeze
		{1400 * ms, 2500 * ms, 1400 * ms, 4000 * ms},
		{1600 * ms, 1600 * ms, 2000 * ms, 4000 * ms}, // two freezes
	} {
		synctest.Test(t, func(t *testing.T) {
			target, origin := build(t, "freeze"), time.Now()
			if err := target.Call(t.Context(), 0, nothing); err != nil {
				t.Fatal(err)
			}
			time.Sleep(c.at)
			var begins time.Duration
			failure := errors.New("the work's own")
			err := target.Call(t.Context(), 1, func(context.Context, uint64) error {
				begins = time.Since(origin)
				time.Sleep(c.work)
				return failure
			})
			if ends := time.Since(origin); begins != c.begins || ends != c.ends ||
				!errors.Is(err, failure) {
				t.Errorf("a call at %v with work of %v begins at %v and ends at %v (%v), want %v "+
					"and %v", c.at, c.work, begins, ends, err, c.begins, c.ends)
			}
		})
	}
}

// 200 calls/s of 1 ms for 6 s, frozen for 500 ms of every 2 s: q(p) = 1 ms + max(0,
// (φ−(1−p))/φ)·500 ms with φ = 1/4. With calls 5 ms apart the waits are 5, 10, …, 500 ms, so the
// nearest rank is exact at p = 1 − k/400.
func TestFreezeHasTheClosedForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "freeze")
		responses := make([]time.Duration, 1200)
		var wg sync.WaitGroup
		for i := range responses {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 5 * time.Millisecond)
				due := time.Now()
				if err := target.Call(t.Context(), uint64(i),
					sleeps(time.Millisecond)); err != nil {
					t.Error(err)
				}
				responses[i] = time.Since(due)
			})
		}
		wg.Wait()
		slices.Sort(responses)
		for k := range 400 {
			p := 1 - float64(k)/400
			wants := time.Millisecond +
				time.Duration(math.Round(max(0, (0.25-(1-p))/0.25)*500))*time.Millisecond
			if got := responses[len(responses)-1-3*k]; got != wants {
				t.Errorf("q(%v) = %v, want %v", p, got, wants)
			}
		}
		want := "[{admitted-calls 1200} {refused-calls 0} {abandoned-calls 0} {delayed-calls 300}]"
		if got := fmt.Sprint(target.(targets.Counted).Counts()); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestFreezeEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target, origin := build(t, "freeze:period=1h,stop=59m"), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
		defer cancel()
		if err := target.Call(ctx, 0, sleeps(2*time.Minute)); !errors.Is(err,
			context.DeadlineExceeded) || time.Since(origin) != 30*time.Minute {
			t.Errorf("%v after %v", err, time.Since(origin))
		}
		again, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := target.Call(again, 1, nothing); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(origin) != 31*time.Minute {
			t.Errorf("%v after %v", err, time.Since(origin))
		}
		if got, want := fmt.Sprint(target.(targets.Counted).Counts()),
			"[{admitted-calls 1} {refused-calls 0} {abandoned-calls 1} {delayed-calls 1}]"; got !=
			want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}
