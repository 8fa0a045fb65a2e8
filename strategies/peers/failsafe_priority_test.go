package peers_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// Tasks with low priority must be refused first. Priorities outside the library's classes 0 to 4
// must use the nearest class.
func TestRefusesThePriority(t *testing.T) {
	for _, test := range []struct {
		low, high         int32
		every             string
		refused, urgently int // of 450 and 150
	}{
		{0, 3, "100ms", 346, 4},
		{-7, math.MaxInt32, "100ms", 346, 4},
		{4, 5, "100ms", 265, 84}, // the same class
		{0, 3, "1h", 261, 87},    // nothing is refused for its priority
		{0, 3, "1s", 261, 87},    // nor here, where the queue is full in less
	} {
		synctest.Test(t, func(t *testing.T) {
			spec, p := lookup(t, "failsafe_priority", 4,
				param.Arg{Key: "calibrate", Value: test.every})
			s := spec.New(t.Context(), p,
				strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
			refused, urgently := 0, 0
			for i := range 600 {
				task := &strategies.Task{Priority: test.low, Run: second}
				if i%4 == 0 {
					task.Priority = test.high
				}
				switch err := s.Submit(t.Context(), task); {
				case err == nil:
				case !errors.Is(err, strategies.ErrShed):
					t.Error(err)
				case i%4 == 0:
					urgently++
				default:
					refused++
				}
				time.Sleep(100 * time.Millisecond)
			}
			if refused != test.refused || urgently != test.urgently {
				t.Errorf("%d to %d, %s: %d refused and %d urgent ones, want %d and %d", test.low,
					test.high, test.every, refused, urgently, test.refused, test.urgently)
			}
			if err := s.Drain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// second takes slightly more than a second, so no task ends at the arrival of another.
func second(context.Context, *strategies.Task) strategies.Result {
	time.Sleep(time.Second + 37*time.Microsecond)
	return strategies.Result{}
}
