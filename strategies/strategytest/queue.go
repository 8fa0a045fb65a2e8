package strategytest

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

func newQueue() string { return "contract_" + strings.ToLower(rand.Text()[:8]) }

func durableDefaults(spec strategies.Spec) strategies.Params {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		panic(err) // durably has already returned this error
	}
	return strategies.Params{Limit: 1, Values: values}
}

func (x *instance) has(key string) bool {
	return slices.ContainsFunc(x.spec.Keys, func(k param.Key) bool { return k.Name == key })
}

// lease returns the time after which messages of an ended process are delivered again. It is a
// guess for strategies without the parameter.
func (x *instance) lease() time.Duration {
	if x.has("lease") {
		return x.p.Values.Duration("lease")
	}
	return 500 * time.Millisecond
}

func (x *instance) attempts() int {
	switch {
	case !x.spec.Retries:
		return 1
	case x.has("attempts"):
		return x.p.Values.Int("attempts")
	}
	return poisonAttempts
}

// resumed returns nil for strategies whose tasks do not outlive the instance.
func resumed(spec strategies.Spec, queue string) *strategies.Resume {
	if spec.Survives(durableDefaults(spec)) == strategies.Volatile {
		return nil
	}
	return &strategies.Resume{Name: queue}
}
