package strategytest

import (
	"fmt"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

// A Clause is one clause of the contract, as a check. It is a value and not a test function so that other programs than `go
// test` can run it, and so that its own tests can see it fail.
type Clause struct {
	Name  string // as in the documentation of package strategies
	Check func(spec strategies.Spec) error
}

// Clauses returns the contract in the order of its documentation; the slice is the caller's. A Check must not be called from
// inside a synctest bubble.
func Clauses() []Clause {
	return []Clause{
		{"Bound", checkBound},
		{"Once", checkOnce},
		{"BlocksOrSheds", checkBlocksOrSheds},
		{"Context", checkContext},
		{"Drain", checkDrain},
		{"Closed", checkClosed},
		{"Panic", checkPanic},
		{"WorkConserving", checkWorkConserving},
		{"Order", checkOrder},
		{"Memory", checkMemory},
	}
}

// Run tests spec, one subtest for each clause, numbered and named as in the documentation of package strategies.
func Run(t *testing.T, spec strategies.Spec) {
	t.Helper()
	if spec.New == nil {
		t.Fatal("strategytest: the Spec has no New")
	}
	for i, c := range Clauses() {
		t.Run(fmt.Sprintf("%d_%s", i+1, c.Name), func(t *testing.T) {
			if err := c.Check(spec); err != nil {
				t.Errorf("%s: %v", spec.Name, err)
			}
		})
	}
}
