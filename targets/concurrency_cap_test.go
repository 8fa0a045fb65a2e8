package targets_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/targets"
)

func sleeps(d time.Duration) func(context.Context, uint64) error {
	return func(context.Context, uint64) error { time.Sleep(d); return nil }
}

func TestConcurrencyCapRefusesAboveTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := build(t, "concurrency_cap:limit=3")
		metered := target.(targets.Metered)
		var wg sync.WaitGroup
		for i := range 3 {
			wg.Go(func() {
				_ = target.Call(t.Context(), 0, sleeps(time.Duration(i+1)*time.Second))
			})
		}
		synctest.Wait()
		for left := range 3 {
			if left > 0 {
				if q := metered.Quota(); q != (targets.Quota{Limit: 3, Remaining: 1}) {
					t.Errorf("%+v", q)
				}
				wg.Go(func() { _ = target.Call(t.Context(), 0, sleeps(time.Hour)) })
				synctest.Wait()
			}
			if r := refusal(t, target); r == nil ||
				*r != (targets.Throttled{Refusal: targets.Unavailable}) {
				t.Errorf("with 3 in service: %v", r)
			}
			time.Sleep(time.Second)
			synctest.Wait()
		}
		wg.Wait()
		if got, want := fmt.Sprint(target.(targets.Counted).Counts()),
			"[{admitted-calls 5} {refused-calls 3} {abandoned-calls 0}]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestConcurrencyCapIsExactUnderContention(t *testing.T) {
	target := build(t, "concurrency_cap:limit=3")
	var inside atomic.Int64
	work := func(context.Context, uint64) error {
		if n := inside.Add(1); n > 3 {
			t.Errorf("%d in service", n)
		}
		runtime.Gosched()
		inside.Add(-1)
		return nil
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 2000 {
				if err := target.Call(t.Context(), 0, work); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for range 20 {
		wg.Go(func() {
			for range 200 {
				_ = target.Call(t.Context(), 0, work)
			}
		})
	}
	wg.Wait()
	if q := target.(targets.Metered).Quota(); q.Remaining != 3 {
		t.Errorf("at the end %+v", q)
	}
}

func TestSlotsSurvivePanics(t *testing.T) {
	for _, name := range []string{"concurrency_cap:limit=1", "conn_pool:conns=1,timeout=0s"} {
		target := build(t, name)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the panic is lost", name)
				}
			}()
			_ = target.Call(t.Context(), 0, func(context.Context, uint64) error { panic("work") })
		}()
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = target.Call(t.Context(), 0, func(context.Context, uint64) error {
				runtime.Goexit()
				return nil
			})
		})
		wg.Wait()
		if r := refusal(t, target); r != nil {
			t.Errorf("%s: the slot is gone: %v", name, r)
		}
	}
}
