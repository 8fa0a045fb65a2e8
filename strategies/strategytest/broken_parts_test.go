package strategytest_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func builtinSpec(t *testing.T, name string, broken func(*strategies.Spec)) strategies.Spec {
	t.Helper()
	spec, err := strategies.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	broken(&spec)
	return spec
}

// With -short, TestSound covers the other clauses.
func TestBrokenDeclarations(t *testing.T) {
	for _, test := range []struct {
		what   string
		spec   strategies.Spec
		clause string
	}{
		{"it trips, and does not declare it", builtinSpec(t, "circuit_breaker",
			func(s *strategies.Spec) { s.Trips = false }), "BlocksOrSheds"},
		{"it declares that it trips, and never does", builtinSpec(t, "semaphore",
			func(s *strategies.Spec) { s.Trips = true }), "BlocksOrSheds"},
		{"it runs tasks twice, and does not declare it", builtinSpec(t, "hedged",
			func(s *strategies.Spec) { s.Hedges = false }), "Once"},
		{"it declares that it hedges, and never does", builtinSpec(t, "semaphore",
			func(s *strategies.Spec) { s.Hedges = true }), "Once"},
		{"it declares that it keeps keys apart, and does not", builtinSpec(t, "worker_pool",
			func(s *strategies.Spec) { s.KeyOrder = true }), "KeyOrder"},
	} {
		t.Run(test.what, func(t *testing.T) {
			var of []string // clauses to check; nil means all
			if testing.Short() {
				of = []string{test.clause}
			}
			if got := failed(t, test.spec, of...); !slices.Equal(got, []string{test.clause}) {
				t.Errorf("failed %v, want %v", got, test.clause)
			}
		})
	}
}

// Running all tasks in sequence keeps each key's order, but no key can overtake a busy one.
func TestBusyKey(t *testing.T) {
	inLine := builtinSpec(t, "dispatcher", func(s *strategies.Spec) {
		s.KeyOrder = true
		start := s.New
		s.New = func(
			ctx context.Context, p strategies.Params, sink strategies.Sink,
		) strategies.Strategy {
			p.Limit, p.Queue = 1, p.Queue+p.Limit-1
			return start(ctx, p, sink)
		}
	})
	for _, c := range strategytest.Clauses() {
		if c.Name != "KeyOrder" {
			continue
		}
		err := c.Check(inLine)
		if err == nil || !strings.Contains(err.Error(), "want the first of each key") {
			t.Errorf("KeyOrder: %v", err)
		}
	}
}
