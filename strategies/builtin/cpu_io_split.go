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

// The strategy cpu_io_split has a pool for computation sized to the cores and a pool for I/O with
// the rest of the limit, each with its own queue. One pool can be overloaded alone (see PoolLoads).
// Tasks of other classes use the first free slot of any pool, preferably of the I/O pool.
var cpuIOSplitSpec = strategies.RegisterBuiltin(engine.Separated(strategies.Spec{
	Name: "cpu_io_split",
	Summary: "a pool for computations with a slot per core, and a pool for I/O; Task.Class " +
		"selects the pool",
	UseIf:   "some tasks compute and others wait, and this is known in advance",
	Source:  "do not block the event loop (Node.js): a separate computation pool",
	OnPanic: "contained; the worker continues, and the other pool is not affected",
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
	Summary: "an instance as large as the cores for computations, and one for I/O",
}, cpuIOPools))

func cpuIOPools(p strategies.Params) []strategies.ClassPool {
	cpu := cmp.Or(p.Values.Int("cpu"), min(runtime.GOMAXPROCS(0), p.Limit/2))
	return []strategies.ClassPool{
		{Class: strategies.CPU, Limit: cpu},
		{Class: strategies.IO, Limit: p.Limit - cpu},
	}
}
