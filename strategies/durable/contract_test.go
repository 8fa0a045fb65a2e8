package durable_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// with returns the strategy with other defaults.
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

// Short leases and backoffs keep the test fast.
func TestContract(t *testing.T) {
	brief := []string{"lease", "300ms", "base", "5ms"}
	for _, c := range []struct {
		name string
		spec strategies.Spec
	}{
		{"sqlite_queue", with("sqlite_queue", brief...)},
		{"sqlite_normal", with("sqlite_queue", append(brief, "sync", "normal")...)},
		{"jetstream", with("jetstream", brief...)},
		{"jetstream_always", with("jetstream", append(brief, "sync", "always")...)},
		{"jetstream_memory", with("jetstream", append(brief, "store", "memory")...)},
		{"postgres_queue", with("postgres_queue", brief...)},
		{"postgres_queue_off", with("postgres_queue", append(brief, "sync", "off")...)},
		{"river", with("river", append(brief, "cooldown", "1ms", "poll", "20ms")...)},
		{"redis_stream", with("redis_stream", brief...)},
		{"asynq", with("asynq", "recovery", "start", "poll", "10ms", "scheduled", "10ms",
			"base", "5ms")},
		{"rabbitmq", with("rabbitmq", "base", "5ms")},
		{"rabbitmq_classic", with("rabbitmq", "queue", "classic", "base", "5ms")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name != "sqlite_queue" && c.name != "jetstream_memory" {
				t.Skip("long: skipped with -short")
			}
			serve(t, c.spec)
			strategytest.Run(t, c.spec)
		})
	}
}
