package workloads_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/workloads"
)

func builtFrom(t *testing.T, s workloads.Spec) (workloads.Workload, error) {
	t.Helper()
	return s.Build(1, param.Values{})
}

// The mean and C² are measured once. Check must not call the function.
func TestFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		spec := workloads.Func("two_times", func(_ context.Context, seq uint64) error {
			calls.Add(1)
			time.Sleep(time.Duration(1+2*(seq%2)) * time.Millisecond)
			return nil
		})
		if err := spec.Check(workloads.Variant{}.Values); err != nil || calls.Load() != 0 {
			t.Errorf("to check its parameters called it %d timeMoments: %v", calls.Load(), err)
		}
		for range 2 {
			w, err := builtFrom(t, spec)
			if err != nil {
				t.Fatal(err)
			}
			// 1 and 3 ms: mean 2 ms, C² (1² + 3²)/2/2² − 1 = 0.25
			if m, c2 := w.Mean(), w.C2(); m < 1980*time.Microsecond || m > 2020*time.Microsecond ||
				c2 < 0.24 || c2 > 0.26 {
				t.Errorf("mean %v, C² %v", m, c2)
			}
		}
		if n := calls.Load(); n < 90 || n > 110 {
			t.Errorf("measured by %d calls", n)
		}
	})
	given := workloads.Moments{Mean: time.Second, C2: 3}
	w, err := builtFrom(t,
		workloads.Func("given", func(context.Context, uint64) error { panic("called") }, given))
	if err != nil || w.Mean() != given.Mean || w.C2() != given.C2 {
		t.Errorf("%v, %v", w, err)
	}
	broken := errors.New("broken")
	if _, err := builtFrom(t,
		workloads.Func("broken",
			func(context.Context, uint64) error { return broken })); !errors.Is(err, broken) {
		t.Errorf("a function that fails: %v", err)
	}
	if _, err := builtFrom(t, workloads.Func("no_time", nil, workloads.Moments{})); err == nil {
		t.Error("a mean of zero was taken")
	}
}
