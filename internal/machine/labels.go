package machine

import (
	"context"
	"runtime/pprof"
)

// The parts of a program that measures: the label part of a sample.
const (
	Harness  = "harness"  // what drives and watches
	Strategy = "strategy" // what bounds the tasks; its goroutines, from when they are made
	Task     = "task"     // inside a task, with what it calls
)

// ProfileLabels are those that goroutines carry while a part works: each made once. Without them,
// that is with nil, its methods do nothing.
type ProfileLabels struct {
	harness, strategy context.Context
	task              []context.Context // by class
}

var byHarness = labelled(context.Background(), "part", Harness)

func labelled(ctx context.Context, pairs ...string) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(pairs...))
}

// NewProfileLabels makes those of a strategy and of tasks of those classes, beside the labels of
// ctx.
func NewProfileLabels(ctx context.Context, strategy string, classes ...string) *ProfileLabels {
	l := &ProfileLabels{harness: labelled(ctx, "part", Harness),
		strategy: labelled(ctx, "part", Strategy, "strategy", strategy)}
	for _, c := range classes {
		l.task = append(l.task, labelled(ctx, "part", Task, "strategy", strategy, "class", c))
	}
	return l
}

// Harness says that this goroutine, and those that it starts, work for the harness.
func (l *ProfileLabels) Harness() {
	if l != nil {
		pprof.SetGoroutineLabels(l.harness)
	}
}

// Strategy says that they work for the strategy.
func (l *ProfileLabels) Strategy() {
	if l != nil {
		pprof.SetGoroutineLabels(l.strategy)
	}
}

// Task says that they work for a task of a class, by its place in those of NewProfileLabels.
func (l *ProfileLabels) Task(class int) {
	if l != nil {
		pprof.SetGoroutineLabels(l.task[class])
	}
}
