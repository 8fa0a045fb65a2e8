package machine

import (
	"context"
	"runtime/pprof"
)

const (
	Harness  = "harness"  // generator and observation
	Strategy = "strategy" // the strategy and the goroutines that it creates
	Task     = "task"     // a task, including its calls
)

// ProfileLabels are created once. The methods of a nil ProfileLabels do nothing.
type ProfileLabels struct {
	harness, strategy context.Context
	task              []context.Context // by class
}

var byHarness = labelled(context.Background(), "part", Harness)

func labelled(ctx context.Context, pairs ...string) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(pairs...))
}

func NewProfileLabels(ctx context.Context, strategy string, classes ...string) *ProfileLabels {
	l := &ProfileLabels{harness: labelled(ctx, "part", Harness),
		strategy: labelled(ctx, "part", Strategy, "strategy", strategy)}
	for _, c := range classes {
		l.task = append(l.task, labelled(ctx, "part", Task, "strategy", strategy, "class", c))
	}
	return l
}

func (l *ProfileLabels) Harness() {
	if l != nil {
		pprof.SetGoroutineLabels(l.harness)
	}
}

func (l *ProfileLabels) Strategy() {
	if l != nil {
		pprof.SetGoroutineLabels(l.strategy)
	}
}

func (l *ProfileLabels) Task(class int) {
	if l != nil {
		pprof.SetGoroutineLabels(l.task[class])
	}
}
