package builtin

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// errGroup is golang.org/x/sync/errgroup with a context and no limit: a goroutine for each task at
// once, and the first error cancels the context of all the others.
//
// Use it for a few tasks of which none is worth finishing once another has failed: the parts of one
// request. It costs what unbounded costs and one allocation in Go. The burst reaches whatever the
// tasks call: errgroup_limit is the one with a limit.
//
// What becomes of the others is as in errgroup. Those that run are not stopped: they see the
// cancelled context, with the error as its cause, and it is for them to return. Those that come
// later are accepted and started like any other, with the context cancelled from the start. Only
// the strategy's own part of the work ends there: steps and sub-tasks that are left over, of the
// one as of the other, are not run. A group is for one batch: the context never comes back, and
// under a stream of tasks that may fail all but the first failures are its doing.
//
// A panic or Goexit is no error of the group: errgroup would let the one crash the process and not
// notice the other. Neither cancels anybody. The group hears of an error when the task's goroutine
// returns, which is just after Sink.Done.
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
