package builtin

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// errgroupLimit is golang.org/x/sync/errgroup with SetLimit: Go starts a goroutine for the task and
// blocks while Limit of them are active.
//
// Use it for a batch whose first error matters. It costs what semaphore costs and one allocation in
// Go (a second one, the func that Go takes, is saved for a prebuilt task).
//
// Group.Go cannot be given up, but a blocked Submit must return when its context ends. So a Submit
// first takes a slot in a channel of the same size, which it can leave at any time. Then a slot
// of the group is free as well, or about to be: the goroutine that has it has already given back
// ours, and only reports its task before it returns. This doubles the limit's book-keeping for
// about 50 ns. The alternative, a helper that waits in the group's line in our slot, was rejected:
// it costs a goroutine and two switches for each task that waits, which would be charged to
// errgroup, and one that is given up stays behind until the group has a slot for it.
//
// A task's error is not returned to the group, which would only keep the first: it goes to the
// sink. Nor is the group waited for, because the lifecycle knows when the last task is done.
type errgroupLimit struct {
	engine.PerTask
	group errgroup.Group
}

var _ = strategies.RegisterBuiltin(engine.Slotted(strategies.Spec{
	Name:    "errgroup_limit",
	Summary: "golang.org/x/sync/errgroup with SetLimit",
	UseIf:   "you have errgroup already and its limit is all you need",
	Source:  "golang.org/x/sync/errgroup",
	Parts:   1, // the group's module
	Go:      func(p strategies.Params) string { return fmt.Sprintf("group.SetLimit(%d)", p.Limit) },
	OnPanic: "contained before it reaches the group, which would crash the process",

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &errgroupLimit{PerTask: engine.PerTask{Slots: make(chan struct{}, p.Limit)}}
		s.group.SetLimit(p.Limit)
		s.Open(ctx, sink, nil)
		return s
	},
}))

// Submit blocks until there is a slot.
func (s *errgroupLimit) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Acquire(ctx); err != nil {
		return err
	}
	s.group.Go(s.ErrThunk(t))
	return nil
}
