package durable_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

func TestAdds(t *testing.T) {
	found := 0
	for _, spec := range strategies.All() {
		if spec.Durability == nil {
			continue
		}
		found++
		if len(spec.Adds) < 3 {
			t.Errorf("%s says of %d additions", spec.Name, len(spec.Adds))
		}
		for _, a := range spec.Adds {
			if a.What == "" || a.Bare == "" || strings.HasSuffix(a.String(), ".") {
				t.Errorf("%s: %q", spec.Name, a)
			}
		}
	}
	if found != 7 {
		t.Errorf("%d durable strategies", found)
	}
}

// Parameters that set a library's option must have the library's default.
func TestLibraryDefaults(t *testing.T) {
	for name, defaults := range map[string]map[string]string{
		"asynq":     {"recovery": "library", "poll": "1s", "scheduled": "5s"},
		"river":     {"lease": "1h", "cooldown": "100ms", "poll": "1s"},
		"jetstream": {"lease": server.JsAckWaitDefault.String()},
	} {
		spec := strategies.MustParse(name).Spec
		for key, want := range defaults {
			if got := defaultOf(spec.Keys, key); got != want {
				t.Errorf("%s: %s is %s by default, want %s", name, key, got, want)
			}
		}
	}
	if v := strategies.MustParse("river").Values; v.Duration("lease") != time.Hour {
		t.Error(v)
	}
}

func defaultOf(keys []param.Key, name string) string {
	for _, k := range keys {
		if k.Name == name {
			return k.Default
		}
	}
	return ""
}
