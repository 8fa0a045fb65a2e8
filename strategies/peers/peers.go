package peers

import (
	"slices"

	"github.com/poolbench/poolbench/strategies"
)

var all []strategies.Spec

// register adds a peer to All and to strategies.All. All peers are FIFO with Limit slots.
func register(s strategies.Spec) strategies.Spec {
	if s.FIFO = true; s.Bound == nil {
		s.Bound = limitOf
	}
	s = strategies.Register(s)
	all = append(all, s)
	return s
}

// All returns the peers in order of their names.
func All() []strategies.Spec { return slices.Clone(all) }

// Has reports whether a strategy of that name is a peer.
func Has(name string) bool {
	return slices.ContainsFunc(all, func(s strategies.Spec) bool { return s.Name == name })
}

func limitOf(p strategies.Params) int { return p.Limit }

// failsafeAdds are the additions of adapters that do not use failsafe-go's executor.
var failsafeAdds = []strategies.Addition{
	{What: "runs each task in a goroutine; a panic becomes the task's result",
		Bare: "the executor runs a func in its caller's goroutine, and a panic reaches the " +
			"caller"},
	{What: "a task that panics or calls Goexit returns its permit",
		Bare: "the executor loses the permit for good"},
	{What: "a blocked Submit also ends when Drain begins", Bare: "ends only if its context ends"},
}
