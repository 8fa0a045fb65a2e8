package builtin

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// errGroup is golang.org/x/sync/errgroup with a context and no limit. The first error cancels the
// context of all other and later tasks, so a group is for one batch. A panic or Goexit does not
// count as an error, because errgroup would crash on a panic and miss a Goexit.
type errGroup struct {
	engine.PerTask
	group *errgroup.Group
}

var _ = strategies.RegisterBuiltin(strategies.Spec{
	Name: "errgroup",
	Summary: "golang.org/x/sync/errgroup: a goroutine for each task, the first error cancels the " +
		"others' context",
	UseIf:  "the tasks are a few parts of one operation, which fails if one of them fails",
	Source: "golang.org/x/sync/errgroup, WithContext",
	Twin:   strategies.Twin{Of: unboundedSpec.Name, Unless: strategies.Calls},
	OnPanic: "contained before it reaches the group, which would crash the process; cancels no " +
		"other task",

	WorkConserving: true,
	Ends:           true,

	New: func(ctx context.Context, _ strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &errGroup{PerTask: engine.PerTask{Tells: true}}
		s.Open(ctx, sink, nil)
		s.group, s.TaskCtx = errgroup.WithContext(s.Ctx)
		return s
	},
})

func (s *errGroup) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	s.group.Go(s.ErrThunk(t))
	return nil
}
