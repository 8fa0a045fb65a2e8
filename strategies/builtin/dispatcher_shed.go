package builtin

import (
	"context"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy dispatcher_shed is dispatcher with an answer instead of a wait: a task for which
// there is no room is refused with ErrShed at once. It is a strategy of its own, as
// bounded_queue_shed is, because blocking or shedding is a fact of a Spec, which the contract tests
// and the driver ask before there is an instance.
//
// Room is counted exactly: nothing is shed while there is a slot or a slot of the queue for it.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "dispatcher_shed",
	Summary: "dispatcher, and ErrShed when it is full",
	UseIf:   "many short tasks come, and late is as bad as never",
	Source:  "this project",
	OnPanic: "contained; the worker is replaced",

	Sheds: true,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Dispatch{Sheds: true}).Start(ctx, p, sink)
	},
}))
