package execute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/fleet"
	"github.com/poolbench/poolbench/internal/progress"
)

const stopGrace = 5 * time.Second

// A Runner runs virtual-clock scenarios in a child process, real-clock scenarios in this one. It
// aborts a run that makes no progress.
type Runner struct {
	host     *Host
	limit    time.Duration // limit without progress; 0 means the default
	children children
	crew     *crew // runs the scenarios instead; nil means none
	soFar    func(*bench.Result)
}

// soFar receives interim results of soaks. It is called from other goroutines.
func (r *Runner) OnInterim(soFar func(*bench.Result)) { r.soFar = soFar }

// A limit of 0 means the default.
func New(h *Host, limit time.Duration) *Runner {
	return &Runner{host: h, limit: limit, children: children{limit: limit}}
}

// Begin must be called before the first run. The returned context ends when no further run is
// possible.
func (r *Runner) Begin(ctx context.Context, say func(string)) (context.Context, error) {
	if r.crew == nil {
		return ctx, nil
	}
	return r.crew.Open(ctx, r.limit, say, r.soFar)
}

// Parallel returns how many virtual-clock runs to request at once. 0 means the default.
func (r *Runner) Parallel() int {
	if r.crew == nil {
		return 0
	}
	return fleet.Outstanding
}

func (r *Runner) Run(ctx context.Context, s bench.Scenario) (*bench.Result, error) {
	return r.Telling(ctx, s, r.soFar)
}

func (r *Runner) Telling(
	ctx context.Context, s bench.Scenario, soFar func(*bench.Result),
) (*bench.Result, error) {
	if r.crew != nil {
		return r.crew.sweep.Run(ctx, s)
	}
	if s.Clock == bench.Virtual {
		return r.children.run(ctx, s, soFar)
	}
	r.children.end() // idle children may still release memory, which costs CPU time
	tracker := progress.Tracker{Limit: r.limit}
	if soFar != nil {
		defer Ask(&tracker, r.host.FirstPause, soFar)()
	}
	return r.host.inProcess(ctx, s, &tracker)
}

func (r *Runner) Close() {
	r.children.end()
	if r.crew != nil {
		r.crew.close()
		r.crew = nil
	}
}

// A StuckError reports a real-clock run that cannot be stopped. It would distort all further
// measurements, so it ends the suite.
type StuckError struct {
	name  string
	cause error
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("%s: %v. The run cannot be stopped, so no further run is possible", e.name, e.cause)
}

// inProcess stops waiting when ctx has ended and the grace period is over, or when the run hangs.
func (h *Host) inProcess(
	ctx context.Context, s bench.Scenario, tracker *progress.Tracker,
) (*bench.Result, error) {
	type outcome struct {
		result *bench.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := h.Drive(progress.NewContext(ctx, tracker), s)
		if wrong, ok := errors.AsType[*bench.StrategyError](err); ok && wrong.Goes {
			err = &StuckError{s.Name(), wrong}
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
	case <-time.After(h.Grace):
		return nil, &StuckError{s.Name(), context.Cause(ctx)}
	}
}
