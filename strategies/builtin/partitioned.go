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

// The strategy partitioned has Limit workers on one queue, and tasks that come in steps of at most
// the quantum: after each step the rest of the task goes back to the tail of the queue, one step at
// a time (Result.More; sub-tasks of Result.Split likewise, one after another). Queue tasks may
// wait; then Submit blocks. The steps of accepted tasks always find room.
//
// Use it where short tasks must not wait for long ones and nobody can tell them apart beforehand.
// The smaller the quantum, the nearer it comes to processor sharing, where a task's time in the
// system is in proportion to its own length and no longer depends on the variance of the others'.
// The long tasks pay for that, and everybody pays the overhead of the steps: o per step of q takes
// the share o/(o+q) of the capacity, and the queue is stable only while o/q < 1/utilisation − 1. A
// task that does not partition itself is not interrupted: nothing here preempts.
//
// Clause Order holds for the first steps: tasks start in the order of acceptance, and take turns
// from then on.
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
