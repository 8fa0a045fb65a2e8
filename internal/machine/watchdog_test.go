package machine_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/machine"
)

func TestWait(t *testing.T) {
	const patience = 20 * time.Second
	none := func() time.Duration { return 0 }
	for _, test := range []struct {
		name   string
		every  time.Duration // interval between two steps
		steps  uint64        // number of steps before progress stops
		ends   time.Duration // 0 means never
		longer func() time.Duration
		want   bool
		after  time.Duration
	}{
		{"ends", time.Second, 1000, 90 * time.Second, none, true, 90 * time.Second},
		{"slow", 19 * time.Second, 5, 100 * time.Second, none, true, 100 * time.Second},
		{"hangs", time.Second, 30, 0, none, false, 50 * time.Second},
		{"hangs from the beginning", time.Second, 0, 0, nil, false, patience},
		{"has a reason", time.Second, 0, 60 * time.Second,
			func() time.Duration { return time.Minute }, true, 60 * time.Second},
		{"has a reason and hangs", time.Second, 0, 0, func() time.Duration { return time.Minute },
			false, 80 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				var steps atomic.Uint64
				go func() {
					for range test.steps {
						// the step must precede the check of that instant
						time.Sleep(test.every - time.Nanosecond)
						steps.Add(1)
						time.Sleep(time.Nanosecond)
					}
				}()
				done := make(chan struct{})
				if test.ends > 0 {
					time.AfterFunc(test.ends-time.Nanosecond, func() { close(done) })
					test.after -= time.Nanosecond
				}
				got := machine.WaitForProgress(done, patience, steps.Load, test.longer)
				if took := time.Since(begin); got != test.want || took != test.after {
					t.Errorf("%v after %v, want %v after %v", got, took, test.want, test.after)
				}
				time.Sleep(time.Hour) // for the remaining steps
			})
		})
	}
}

func TestPatience(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 30 * time.Second,
		"200ms": 200 * time.Millisecond, "2h": 2 * time.Hour, "1ms": 0, "-30s": 0,
		"30": 0, "soon": 0} {
		t.Setenv("POOLBENCH_PATIENCE", text)
		if got, err := machine.Patience(); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}
