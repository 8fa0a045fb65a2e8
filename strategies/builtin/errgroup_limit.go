package builtin

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// errgroupLimit is golang.org/x/sync/errgroup with SetLimit. Group.Go cannot be cancelled, so
// Submit first takes a slot in a channel of the same size, for about 50 ns. The group's slot is
// then free or about to be. Task errors go to the sink and not to the group, which would keep only
// the first.
type errgroupLimit struct {
	engine.PerTask
	group errgroup.Group
}

var _ = strategies.RegisterBuiltin(engine.Slotted(strategies.Spec{
	Name:    "errgroup_limit",
	Summary: "golang.org/x/sync/errgroup with SetLimit",
	UseIf:   "you already use errgroup, and its limit is enough",
	Source:  "golang.org/x/sync/errgroup",
	Parts:   1, // the group's module
	Go:      func(p strategies.Params) string { return fmt.Sprintf("group.SetLimit(%d)", p.Limit) },
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained before it reaches the group, which would crash the process",
	Bare: strategies.Bare{
		Panic: "ends the process",
		Error: "Wait returns the first error; with WithContext, this error cancels the context " +
			"of the others",
		Cancel: "none: Go waits for a slot without a context",
		Full:   "Go blocks, TryGo returns false",
		Drain:  "Wait waits for all",
		Resize: "none: SetLimit panics while tasks run",
	},

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &errgroupLimit{PerTask: engine.PerTask{Slots: make(chan struct{}, p.Limit)}}
		s.group.SetLimit(p.Limit)
		s.Open(ctx, sink, nil)
		return s
	},
}))

func (s *errgroupLimit) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	s.group.Go(s.ErrThunk(t))
	return nil
}
