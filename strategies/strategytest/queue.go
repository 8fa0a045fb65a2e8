package strategytest

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// newQueue names a queue.
func newQueue() string { return "contract_" + strings.ToLower(rand.Text()[:8]) }

// durableDefaults are the parameters that clauses are tested with, but for the limit.
func durableDefaults(spec strategies.Spec) strategies.Params {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		panic(err) // durably has said so before
	}
	return strategies.Params{Limit: 1, Values: values}
}

// has says whether the strategy has a parameter of that name.
func (x *stint) has(key string) bool {
	return slices.ContainsFunc(x.spec.Keys, func(k param.Key) bool { return k.Name == key })
}

// lease is after which a message is delivered again whose process has ended; a strategy without a
// parameter for it has none, or says otherwise.
func (x *stint) lease() time.Duration {
	if x.has("lease") {
		return x.p.Values.Duration("lease")
	}
	return 500 * time.Millisecond
}

// attempts are made at a task at most.
func (x *stint) attempts() int {
	switch {
	case !x.spec.Retries:
		return 1
	case x.has("attempts"):
		return x.p.Values.Int("attempts")
	}
	return poisonAttempts
}

// resumed is a queue that is kept; nil for a strategy whose tasks outlive nothing.
func resumed(spec strategies.Spec, queue string) *strategies.Resume {
	if spec.Survives(durableDefaults(spec)) == strategies.Volatile {
		return nil
	}
	return &strategies.Resume{Name: queue}
}
