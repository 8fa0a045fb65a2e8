package durable_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func withDefaults(name string, values ...string) strategies.Spec {
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

func TestContract(t *testing.T) {
	brief := []string{"lease", "300ms", "base", "5ms"}
	for _, c := range []struct {
		name string
		spec strategies.Spec
	}{
		{"sqlite_queue", withDefaults("sqlite_queue", brief...)},
		{"sqlite_normal", withDefaults("sqlite_queue", append(brief, "sync", "normal")...)},
		{"jetstream", withDefaults("jetstream", brief...)},
		{"jetstream_always", withDefaults("jetstream", append(brief, "sync", "always")...)},
		{"jetstream_memory", withDefaults("jetstream", append(brief, "store", "memory")...)},
		{"postgres_queue", withDefaults("postgres_queue", brief...)},
		{"postgres_queue_off", withDefaults("postgres_queue", append(brief, "sync", "off")...)},
		{"river", withDefaults("river", append(brief, "cooldown", "1ms", "poll", "20ms")...)},
		{"redis_stream", withDefaults("redis_stream", brief...)},
		{"asynq", withDefaults("asynq", "recovery", "start", "poll", "10ms", "scheduled", "10ms",
			"base", "5ms")},
		{"rabbitmq", withDefaults("rabbitmq", "base", "5ms")},
		{"rabbitmq_classic", withDefaults("rabbitmq", "queue", "classic", "base", "5ms")},
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
