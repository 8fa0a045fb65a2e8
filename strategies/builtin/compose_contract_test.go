package builtin_test

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

var sweep = flag.Bool("sweep", false, "every composition and clause")

// keepsContract runs no child processes, because there are too many compositions.
func keepsContract(t *testing.T, text string, clauses []strategytest.Clause) {
	t.Helper()
	v, err := strategies.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clauses {
		if err := c.Check(v.Spec); err != nil {
			t.Errorf("%s: %s: %v", v, c.Name, err)
		}
	}
}

// TestComposedContract tests each part around each base strategy, and each pair of parts around a
// semaphore. With -short it tests each clause in one composition of every second part.
func TestComposedContract(t *testing.T) {
	bases := []string{"worker_pool", "unbounded", "codel_lifo", "partitioned"}
	if *sweep {
		bases = nil
		for _, s := range strategies.All() {
			bases = append(bases, s.Name)
		}
	}
	pairs, held := 0, 0
	for k, outer := range strategies.Parts() {
		var own []string
		for _, base := range bases {
			own = append(own, composed(outer.Name, base))
		}
		for _, inner := range strategies.Parts() {
			own = append(own, composed(outer.Name, inner.Name, "semaphore"))
		}
		own = slices.DeleteFunc(own, makesNoSense)
		seen := map[string]bool{}
		for i, text := range own {
			var clauses []strategytest.Clause
			for j, c := range strategytest.Clauses() {
				if testing.Short() && (j+k)%2 != 0 {
					continue
				}
				if !testing.Short() || c.Name == "BlocksOrSheds" && i == 0 || (i+j)%len(own) == 0 {
					clauses, seen[c.Name] = append(clauses, c), true
				}
			}
			keepsContract(t, text, clauses)
			pairs, held = pairs+1, held+len(clauses)
		}
		least := len(strategytest.Clauses())
		if testing.Short() {
			least /= 2
		}
		if len(seen) < least {
			t.Errorf("%s is held to %d clauses alone", outer.Name, len(seen))
		}
	}
	if t.Logf("%d compositions are held to %d clauses", pairs, held); pairs < 25 {
		t.Errorf("only %d pairs make sense", pairs)
	}
}

// composed joins names. Outside a rate limit, codel_lifo gets a target of an hour. Otherwise it
// sheds tasks that wait for a token.
func composed(names ...string) string {
	for i, name := range names {
		paced := slices.ContainsFunc(names[i+1:], func(name string) bool {
			return name == "token_bucket" || name == "ticker_limited"
		})
		if name == "codel_lifo" && paced {
			names[i] += ":target=1h,interval=1h"
		}
	}
	return strings.Join(names, "+")
}

func makesNoSense(text string) bool { _, err := strategies.Parse(text); return err != nil }

func TestComposedTriples(t *testing.T) {
	random, triples := rand.New(rand.NewPCG(1, 2)), 200
	if testing.Short() {
		triples = 20
	}
	parts, bases, clauses := strategies.Parts(), strategies.All(), strategytest.Clauses()
	for i := 0; i < triples; {
		text := composed(parts[random.IntN(len(parts))].Name,
			parts[random.IntN(len(parts))].Name, bases[random.IntN(len(bases))].Name)
		if makesNoSense(text) {
			continue
		}
		if *sweep {
			keepsContract(t, text, clauses)
		} else {
			at := i % len(clauses)
			keepsContract(t, text, clauses[at:at+1])
		}
		i++
	}
}
