package peers

import (
	"context"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

var all = registry.Set[strategies.Spec]{Kind: "peer"}

// register adds a peer to All, once in its file. New is made to panic on parameters that Validate refuses.
func register(s strategies.Spec) strategies.Spec {
	start := s.New
	s.New = func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		if err := s.Validate(p); err != nil {
			panic(err)
		}
		return start(ctx, p, sink)
	}
	return all.Add(s.Name, s)
}

// All returns the peers in the order of their names.
func All() []strategies.Spec { return all.All() }

// Lookup returns the peer of that name; the error for an unknown name lists the known ones.
func Lookup(name string) (strategies.Spec, error) { return all.Lookup(name) }

// limitOf is the bound of all peers, and the capacity of those without a queue.
func limitOf(p strategies.Params) int { return p.Limit }
