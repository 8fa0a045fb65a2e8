package builtin

import (
	"context"
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// quantumKey is the parameter of the partitioned strategies.
var quantumKey = param.Key{Name: "quantum", Kind: param.Duration, Default: "1ms",
	Doc: "longest step that a task comes in"}

func quantum(p strategies.Params) time.Duration { return p.Values.Duration("quantum") }

func checkQuantum(p strategies.Params) error {
	if quantum(p) <= 0 {
		return errors.New("quantum: want a duration above 0")
	}
	return nil
}

// The strategy partitioned has Limit workers on one queue, and tasks in steps of at most the
// quantum: after each step the rest goes to the tail of the queue (Result.More, and sub-tasks of
// Result.Split one by one). Queue tasks may wait, then Submit blocks. Steps of accepted tasks
// always find room.
//
// Use it where short tasks must not wait for long ones and cannot be identified in advance. With a
// small quantum it approaches processor sharing: time in the system is proportional to a task's own
// length and independent of the others' variance. Long tasks pay for this, and all pay the
// overhead: o per step of q takes the share o/(o+q) of the capacity, and the queue is stable only
// for o/q < 1/utilisation − 1. There is no preemption of tasks that do not partition themselves.
//
// Clause Order holds for first steps.
var _ = strategies.RegisterBuiltin(engine.Pooled(strategies.Spec{
	Name:    "partitioned",
	Summary: "workers on one queue; a task runs one quantum and goes back to the tail",
	UseIf:   "short tasks must not wait for long ones, and these can be cut into steps",
	Source: "do not block the event loop (Node.js): partitioning; round robin, whose limit is " +
		"processor sharing",
	OnPanic: "contained; the steps that are left are not run, the worker goes on",
	Keys:    []param.Key{quantumKey},

	Quantum: quantum,
	Check:   checkQuantum,

	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		return (&engine.Pools{Turns: true}).Start(ctx, sink, p.Queue, p.Limit)
	},
}))
