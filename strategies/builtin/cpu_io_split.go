package builtin

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy cpu_io_split is a computation pool sized to the cores beside an I/O pool of the rest
// of the limit: tasks of class CPU and of class IO have workers of their own, and a queue of their
// own with room for Queue tasks each. Submit blocks while there is no room in the task's class
// pool.
//
// Use it where one service does both. A task that computes gets on only while it has a core, so
// more of them at once than there are cores are only slower; one that waits for I/O needs a slot
// but no core, so there may be many. In one pool the waits take the slots that the cores need, or
// the computations the ones that the waits need. It costs what segregated costs: slots idle in one
// class pool while tasks wait in the other, and a class pool can be overloaded by itself
// (PoolLoads).
//
// A task of any other class takes the first free slot of either class pool, the I/O class pool's
// first, in the order of acceptance.
var cpuIOSplitSpec = strategies.RegisterBuiltin(engine.Separated(strategies.Spec{
	Name:    "cpu_io_split",
	Summary: "a computation pool as large as the cores beside a pool for I/O; Task.Class decides",
	UseIf:   "some tasks compute and others wait, and it is known in advance which",
	Source:  "do not block the event loop (Node.js): a separate computation pool",
	OnPanic: "contained; the worker goes on, the other pool is not touched",
	Keys: []param.Key{
		{Name: "cpu", Kind: param.Int, Default: "0",
			Doc: "slots for computations; 0: one per core (GOMAXPROCS), at most half of the limit"},
	},

	Check: func(p strategies.Params) error {
		switch cpu := p.Values.Int("cpu"); {
		case cpu < 0:
			return errors.New("cpu: want a number of slots that is not negative")
		case p.Limit < 2:
			return errors.New("two pools want a limit of at least 2")
		case cpu >= p.Limit:
			return fmt.Errorf("cpu=%d leaves no slot for I/O, with a limit of %d", cpu, p.Limit)
		}
		return nil
	},
}, cpuIOPools))

var _ = strategies.RegisterPart(engine.Routed(cpuIOSplitSpec, strategies.Part{
	Summary: "an instance as large as the cores for computations beside one for I/O",
}, cpuIOPools))

// cpuIOPools are those with p, which must be valid.
func cpuIOPools(p strategies.Params) []strategies.ClassPool {
	cpu := cmp.Or(p.Values.Int("cpu"), min(runtime.GOMAXPROCS(0), p.Limit/2))
	return []strategies.ClassPool{
		{Class: strategies.CPU, Limit: cpu},
		{Class: strategies.IO, Limit: p.Limit - cpu},
	}
}
