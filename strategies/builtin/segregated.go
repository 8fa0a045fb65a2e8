package builtin

import (
	"errors"
	"fmt"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// The strategy segregated has a pool per class, each with its own queue. One pool can be overloaded
// alone: with half of the limit each and 72 % of the work in long tasks, the long pool is
// overloaded above 69 % load (see PoolLoads). Tasks of other classes use the first free slot of any
// pool, preferably of the long pool.
var segregatedSpec = strategies.RegisterBuiltin(engine.Separated(strategies.Spec{
	Name:    "segregated",
	Summary: "separate pools for short and for long tasks; Task.Class selects the pool",
	UseIf:   "long tasks are known in advance, and the shares of the work are known and steady",
	Source: "do not block the event loop (Node.js): a pool per class instead of partitioning; " +
		"bulkheads",
	OnPanic: "contained; the worker continues, and the other pool is not affected",
	Keys: []param.Key{
		{Name: "short", Kind: param.Int, Default: "0",
			Doc: "slots for short tasks; 0: the rest of the limit, or half of it"},
		{Name: "long", Kind: param.Int, Default: "0", Doc: "slots for long tasks; 0: the rest of " +
			"the limit, or half of it, rounded up"},
	},

	Check: func(p strategies.Params) error {
		short, long := p.Values.Int("short"), p.Values.Int("long")
		switch {
		case short < 0 || long < 0:
			return errors.New("short, long: want numbers of slots that are not negative")
		case p.Limit < 2:
			return errors.New("two pools want a limit of at least 2")
		case short > 0 && long > 0 && short+long != p.Limit:
			return fmt.Errorf("short=%d and long=%d do not add up to the limit of %d",
				short, long, p.Limit)
		case max(short, long) >= p.Limit:
			return fmt.Errorf("a pool of %d slots leaves none for the other, with a limit of %d",
				max(short, long), p.Limit)
		}
		return nil
	},
}, segregatedPools))

var _ = strategies.RegisterPart(engine.Routed(segregatedSpec, strategies.Part{
	Summary: "an instance each for short and for long tasks, with their shares of the limit",
}, segregatedPools))

func segregatedPools(p strategies.Params) []strategies.ClassPool {
	short, long := p.Values.Int("short"), p.Values.Int("long")
	switch {
	case short == 0 && long == 0:
		short = p.Limit / 2
	case short == 0:
		short = p.Limit - long
	}
	return []strategies.ClassPool{
		{Class: strategies.Short, Limit: short},
		{Class: strategies.Long, Limit: p.Limit - short},
	}
}
