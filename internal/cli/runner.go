package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// stopGrace is the default of app.grace.
const stopGrace = 5 * time.Second

// A runner runs a scenario where it belongs, virtual clock in a child process, real clock in this
// one, and gives it up when it makes no progress.
type runner struct {
	app      *app
	limit    time.Duration // 0 is the default
	children children
}

func (a *app) runner(limit time.Duration) *runner {
	return &runner{app: a, limit: limit, children: children{limit: limit}}
}

func (r *runner) run(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
	if s.Clock == bench.Virtual {
		return r.children.run(ctx, s)
	}
	r.children.end() // they may still give memory back
	return r.app.inProcess(ctx, s, r.limit)
}

// close ends what waits for further scenarios.
func (r *runner) close() { r.children.end() }

// A stuckError is a real-clock run that cannot be ended. What would be measured beside it is worth
// nothing, so it ends the suite.
type stuckError struct {
	name  string
	cause error
}

func (e *stuckError) Error() string {
	return fmt.Sprintf("%s: %v; it does not stop either, so no run can follow it", e.name, e.cause)
}

// inProcess runs the scenario here, and stops waiting for it when ctx has ended and the grace is
// over, or when it hangs.
func (a *app) inProcess(
	ctx context.Context, s bench.Scenario, limit time.Duration,
) (*bench.Result, error) {
	type outcome struct {
		result *bench.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := a.drive(bench.WithProgress(ctx, &bench.Progress{Limit: limit}), s)
		if wrong, ok := errors.AsType[*bench.StrategyError](err); ok && wrong.Goes {
			err = &stuckError{s.Name(), wrong}
		}
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
	case <-time.After(a.grace):
		return nil, &stuckError{s.Name(), context.Cause(ctx)}
	}
}
