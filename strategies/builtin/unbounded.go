package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// unbounded starts a goroutine for each task at once, about 2.6 kB each, and the whole burst
// reaches the target.
type unbounded struct{ engine.PerTask }

var unboundedSpec = strategies.RegisterBuiltin(strategies.Spec{
	Name:    "unbounded",
	Summary: "a goroutine for each task, at once",
	UseIf:   "there are few tasks, or something else limits them",
	Source:  "the go statement with a sync.WaitGroup",
	OnPanic: "contained; the task's goroutine ends",

	WorkConserving: true,

	New: func(ctx context.Context, _ strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := new(unbounded)
		s.Open(ctx, sink, nil)
		return s
	},
})

func (s *unbounded) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	go s.Thunk(t)()
	return nil
}
