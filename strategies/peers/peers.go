package peers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/param"
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

// Known returns all strategies that poolbench has: the patterns of package strategies, then the peers.
func Known() []strategies.Spec { return slices.Concat(strategies.All(), All()) }

// ParseVariant looks up a strategy among the known ones and checks its parameters. The error for an unknown name lists the known ones.
func ParseVariant(c param.Call) (strategies.Variant, error) {
	var names []string
	for _, s := range Known() {
		if s.Name == c.Name {
			return s.Variant(c.Args)
		}
		names = append(names, s.Name)
	}
	return strategies.Variant{}, fmt.Errorf("unknown strategy %q (known: %s)", c.Name, strings.Join(names, ", "))
}

// limitOf is the bound of all peers, and the capacity of those without a queue.
func limitOf(p strategies.Params) int { return p.Limit }
