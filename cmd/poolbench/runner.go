package main

import (
	"context"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// What a run may take in real time: generous, since it is there for strategies that hang, on machines of any speed.
const (
	limitBase   = 30 * time.Second
	limitFactor = 20
)

// stopGrace is how long a real-clock run gets to return once it is told to.
const stopGrace = 5 * time.Second

// runner runs a scenario where it belongs, with a limit in real time: virtual clock in a child process, real clock in this one.
func (a *app) runner(limit time.Duration) bench.RunFunc {
	return func(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
		limit := limit
		if limit == 0 {
			limit = limitBase + limitFactor*s.Estimate()
		}
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no end after %v: the strategy hangs, or --run-limit is too short for this machine", limit))
		defer cancel()
		if s.Clock == bench.Virtual {
			return inChild(ctx, s)
		}
		return a.inProcess(ctx, s)
	}
}

// A stuckError is a real-clock run that cannot be ended. What would be measured beside it is worth nothing, so it ends the suite.
type stuckError struct {
	name  string
	cause error
}

func (e *stuckError) Error() string {
	return fmt.Sprintf("%s: %v; it does not stop either, so no run can follow it", e.name, e.cause)
}

// inProcess runs the scenario here and stops waiting for it when ctx has ended and the grace is over.
func (a *app) inProcess(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
	type outcome struct {
		result *bench.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := a.drive(ctx, s)
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(stopGrace):
		return nil, &stuckError{s.Name(), context.Cause(ctx)}
	}
}
