package bench

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
)

// A RunFunc is Run, or a function that runs the scenario in another process.
type RunFunc func(ctx context.Context, s Scenario) (*Result, error)

// Run executes the scenario once and computes its result. A progress.Tracker in ctx reports its
// progress. The end of ctx interrupts a run under the real clock, which then has no result, but not
// a run under the virtual clock.
//
// The error is a *StrategyError if the strategy makes the run impossible to finish. A panic in the
// strategy's own goroutine ends the process, and a strategy that hangs may keep running.
func Run(ctx context.Context, s Scenario) (*Result, error) {
	s = s.withDefaults()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	run, err := s.observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r, err := run.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), err)
	}
	r.Profiles = run.Profiles
	return r, nil
}

func (s Scenario) observe(ctx context.Context) (measurement, error) {
	if err := ctx.Err(); err != nil {
		return measurement{}, err
	}
	g, err := newGuard(ctx, s)
	if err != nil {
		return measurement{}, err
	}
	return g.observe(ctx)
}

// A deadlock of f's goroutines, or a goroutine left behind, is an error. synctest works with an
// empty *testing.T outside of tests, which is undocumented, so TestBubble checks it for each
// version of Go.
func bubble(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("virtual clock: %v", p)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}
