package builtin

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// errGroup is golang.org/x/sync/errgroup with a context and no limit: each task starts a goroutine
// at once, and the first error cancels the context of all others.
//
// Use it for a few tasks that are useless once one has failed, such as the parts of one request. It
// costs the same as unbounded plus one allocation in Go, and the whole burst reaches the target:
// errgroup_limit bounds it.
//
// As in errgroup, running tasks only see the cancelled context, with the error as cause. Later
// tasks are started with the cancelled context. Remaining steps and sub-tasks of both do not run. A
// group is for one batch: the context stays cancelled, and in a stream of tasks it causes all
// failures after the first.
//
// A panic or Goexit is no error of the group and cancels nobody: errgroup would crash on one and
// miss the other. The group receives an error when the task's goroutine returns, just after
// Sink.Done.
type errGroup struct {
	engine.PerTask
	group *errgroup.Group
}

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "errgroup",
	Summary: "golang.org/x/sync/errgroup: a goroutine for each task, the first error cancels the " +
		"others' context",
	UseIf:   "the tasks are the few parts of one thing, which fails with the first of them",
	Source:  "golang.org/x/sync/errgroup, WithContext",
	Twin:    strategies.Twin{Of: unboundedSpec.Name, Unless: strategies.Calls},
	OnPanic: "contained before it reaches the group, which would crash the process; cancels nobody",

	WorkConserving: true,
	Ends:           true,

	New: func(ctx context.Context, _ strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &errGroup{PerTask: engine.PerTask{Tells: true}}
		s.Open(ctx, sink, nil)
		s.group, s.TaskCtx = errgroup.WithContext(s.Ctx)
		return s
	},
})

// Submit never blocks.
func (s *errGroup) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	s.group.Go(s.ErrThunk(t))
	return nil
}
