package directory_test

import (
	"testing"

	"github.com/poolbench/poolbench/bench"
)

func scenarioOf(t *testing.T, w bench.Encoded) bench.Scenario {
	t.Helper()
	for field, value := range map[*string]string{&w.Strategy: "worker_pool",
		&w.Workload: "exponential:mean=10ms",
		&w.Target:   "none", &w.Arrival: "poisson", &w.Clock: "virtual"} {
		if *field == "" {
			*field = value
		}
	}
	s, err := w.Scenario()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func resultOf(t *testing.T, s bench.Scenario) *bench.Result {
	t.Helper()
	r, err := bench.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
