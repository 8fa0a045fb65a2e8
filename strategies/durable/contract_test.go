package durable_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// with is the strategy with other defaults: the contract is tested with these.
func with(name string, values ...string) strategies.Spec {
	spec, err := strategies.Lookup(name)
	if err != nil {
		panic(err)
	}
	spec.Keys = slices.Clone(spec.Keys)
	for i := 0; i < len(values); i += 2 {
		k := slices.IndexFunc(spec.Keys, func(k param.Key) bool { return k.Name == values[i] })
		spec.Keys[k].Default = values[i+1]
	}
	return spec
}

// TestContract has leases and backoffs short, so that it need not wait for them.
func TestContract(t *testing.T) {
	t.Run("sqlite_queue", func(t *testing.T) {
		strategytest.Run(t, with("sqlite_queue", "lease", "300ms", "base", "5ms"))
	})
	t.Run("jetstream", func(t *testing.T) {
		strategytest.Run(t, with("jetstream", "lease", "300ms", "base", "5ms"))
	})
}
