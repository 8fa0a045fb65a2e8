package builtin

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var quantumKey = param.Key{Name: "quantum", Kind: param.Duration, Default: "1ms",
	Doc: "longest step of a task"}

func quantum(p strategies.Params) time.Duration { return p.Values.Duration("quantum") }

func checkQuantum(p strategies.Params) error {
	if quantum(p) <= 0 {
		return errors.New("quantum: want a duration above 0")
	}
	return nil
}

// The strategy partitioned has Limit workers on one queue, and tasks in steps of at most the
// quantum. After each step the rest goes to the tail of the queue, and so do sub-tasks, one by one.
// There is always room for the next step. Clause Order applies to first steps.
//
// With a small quantum it approaches processor sharing: a task's time in the system is proportional
// to its own length. An overhead o per step of length q uses the share o/(o+q) of the capacity.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name: "partitioned",
	Summary: "workers on one queue; a task runs for one quantum and then waits at the end of the " +
		"queue",
	UseIf: "short tasks must not wait for long ones, and these can be cut into steps",
	Source: "do not block the event loop (Node.js): partitioning; round robin, whose limit is " +
		"processor sharing",
	OnPanic: "contained; the remaining steps are not run, and the worker continues",
	Keys:    []param.Key{quantumKey},

	Quantum: quantum,
	Check:   checkQuantum,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
