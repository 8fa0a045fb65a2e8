package execute

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// The suite must abandon a run that does not return within the grace period after its context has
// ended. If the error reports that the run still goes on, the suite must not wait.
func TestStuck(t *testing.T) {
	for name, does := range map[string]struct {
		drive bench.RunFunc
		after time.Duration
	}{
		"does not return": {func(ctx context.Context, _ bench.Scenario) (*bench.Result, error) {
			time.Sleep(time.Hour)
			return nil, ctx.Err()
		}, time.Minute + stopGrace},
		"goes on": {func(context.Context, bench.Scenario) (*bench.Result, error) {
			return nil, &bench.StrategyError{Strategy: "mule", Did: "it hangs", Goes: true}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				h := &Host{Drive: does.drive, Grace: stopGrace}
				begun := time.Now()
				r, err := New(h, 0).Run(ctx, bench.Scenario{})
				if _, ok := errors.AsType[*StuckError](err); r != nil || !ok {
					t.Errorf("result %v, error %v", r, err)
				}
				if took := time.Since(begun); took != does.after {
					t.Errorf("given up after %v, want %v", took, does.after)
				}
				time.Sleep(time.Hour) // the run ends later
			})
		})
	}
}
