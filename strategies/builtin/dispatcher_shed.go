package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy dispatcher_shed is a dispatcher that refuses a task without room with ErrShed. It is
// a separate strategy because the contract tests and the driver read Spec.Sheds before an instance
// exists.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "dispatcher_shed",
	Summary: "as dispatcher, but with ErrShed when it is full",
	UseIf:   "there are many short tasks, and a late result is useless",
	Source:  "this project",
	Twin:    strategies.Twin{Of: boundedQueueShedSpec.Name},
	OnPanic: "contained; the worker is replaced",

	Sheds: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Dispatch{Sheds: true}).Start(ctx, p, sink)
	},
}))
