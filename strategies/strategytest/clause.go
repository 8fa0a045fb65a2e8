package strategytest

import (
	"github.com/poolbench/poolbench/strategies"
)

// A Clause is one clause of the contract, as a check. It is a value and not a test function so that
// other programs than `go test` can run it, and so that its own tests can see it fail. Check calls
// the strategy in this process, which a strategy may take along, or leave with goroutines that
// hang.
type Clause struct {
	Name  string // as in the documentation of package strategies
	Check func(spec strategies.Spec) error
}

// Clauses returns the contract in the order of its documentation; the slice is the caller's. A
// Check must not be called from inside a synctest bubble.
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
