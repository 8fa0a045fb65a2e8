package arrivals

import (
	"errors"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
)

// A client thinks before each task, including its first, so clients do not start in step.
var _ = register(Spec{
	Name:    "closed",
	Summary: "a fixed number of clients, each with a think time after every task",
	Source:  "queueing theory (machine repair, M/M/k//N)",
	Keys: []param.Key{
		{Name: "clients", Kind: param.Int, Default: "16", Doc: "number of clients"},
		{Name: "think", Kind: param.Distribution, Default: "exp(10ms)",
			Doc: "think time: the mean of an exponential one, or a distribution such as const(10ms)",
			Bare: func(mean time.Duration) dist.Dist {
				if mean == 0 {
					return dist.Constant{}
				}
				return dist.Exp(mean)
			}},
	},
	Closed: func(v param.Values) (Clients, error) {
		c := Clients{Count: v.Int("clients"), Think: v.Dist("think")}
		if c.Count < 1 || c.Count > maxClients {
			return Clients{}, errors.New("clients: want 1 to 1000000")
		}
		return c, nil
	},
})

// Each client has a goroutine.
const maxClients = 1_000_000
