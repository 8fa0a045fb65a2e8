package options

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

func chosenBy(t *testing.T, words Words) (names []string) {
	t.Helper()
	words["n"] = []Word{{Text: "100"}}
	suite, err := words.Suite("")
	if err != nil {
		t.Fatal(err)
	}
	for _, sc := range suite.Scenarios {
		if name := sc.Strategy.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// all, the default, selects the strategies that differ, and twins that differ for the given work.
// every selects all strategies that need no disk and no server.
func TestAll(t *testing.T) {
	inProcess := 0
	for _, s := range strategies.All() {
		if !s.RealClock {
			inProcess++
		}
	}
	virtual := []Word{{Text: "virtual"}}
	if every := chosenBy(t, Words{"strategy": {{Text: "every"}}, "clock": virtual}); len(
		every) != inProcess {
		t.Errorf("every selects %d of %d strategies", len(every), inProcess)
	}
	plain := chosenBy(t, Words{"strategy": {{Text: "all"}}, "clock": virtual})
	if byDefault := chosenBy(t, Words{"clock": virtual}); !slices.Equal(byDefault, plain) {
		t.Errorf("the default is %v, and all is %v", byDefault, plain)
	}
	for _, twin := range []string{"semaphore", "priority", "ants", "retry_queue"} {
		if slices.Contains(plain, twin) {
			t.Errorf("all selects %s, which has a twin", twin)
		}
	}
	for _, c := range []struct {
		axis, value string
		want        []string
	}{
		{"workload", "priorities", []string{"priority"}},
		{"workload", "deadlines", []string{"earliest_deadline"}},
		{"workload", "tenants", []string{"fair_share", "limit_per_tenant", "per_key"}},
		{"workload", "exponential:weights=2", []string{"weighted_semaphore"}},
		{"target", "flaky", []string{"circuit_breaker", "errgroup", "hedged", "retry_in_place",
			"retry_queue", "failsafe_adaptive", "failsafe_breaker", "failsafe_hedge"}},
	} {
		got := chosenBy(t, Words{c.axis: {{Text: c.value}}, "clock": virtual})
		more := slices.DeleteFunc(slices.Clone(got), func(name string) bool {
			return slices.Contains(plain, name)
		})
		if len(got) != len(plain)+len(c.want) || !slices.Equal(more, c.want) {
			t.Errorf("%s %s adds %v to all, want %v", c.axis, c.value, more, c.want)
		}
	}
}
