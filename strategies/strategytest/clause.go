package strategytest

import (
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest/internal/durable"
)

// A Clause is one clause of the contract, as a check. It is a value and not a test function so that
// other programs than `go test` can run it, and so that its own tests can see it fail. Check calls
// the strategy in this process, which a strategy may take along, or leave with goroutines that
// hang.
type Clause struct {
	Name  string // as in the documentation of package strategies
	Check func(spec strategies.Spec) error
	// nil: it asks something of every strategy, whatever that declares
	asks func(spec strategies.Spec) bool
	// killed is there instead of Check in a clause about the end of a process: it is called in one
	// after another for the same queue, ends those before the last by SIGKILL, and knows how many
	// have ended so far.
	killed func(spec strategies.Spec, queue string, ended int) error
	kills  int // processes
}

// Asks reports whether the clause asks anything of a strategy that declares this. Where it does
// not, Check passes.
func (c Clause) Asks(spec strategies.Spec) bool { return c.asks == nil || c.asks(spec) }

// clausesOf are those that spec is held to.
func clausesOf(spec strategies.Spec) []Clause {
	if spec.RealClock {
		return DurableClauses()
	}
	return Clauses()
}

// Clauses returns the contract in the order of its documentation; the slice is the caller's. A
// Check must not be called from inside a synctest bubble.
func Clauses() []Clause {
	return []Clause{
		{Name: "Bound", Check: checkBound,
			asks: func(s strategies.Spec) bool { return s.Bound != nil }},
		{Name: "Once", Check: checkOnce},
		{Name: "BlocksOrSheds", Check: checkBlocksOrSheds},
		{Name: "Context", Check: checkContext},
		{Name: "Drain", Check: checkDrain},
		{Name: "Closed", Check: checkClosed},
		{Name: "Panic", Check: checkPanic},
		{Name: "WorkConserving", Check: checkWorkConserving,
			asks: func(s strategies.Spec) bool { return s.WorkConserving || s.Splits }},
		{Name: "Order", Check: checkOrder,
			asks: func(s strategies.Spec) bool { return s.FIFO || s.Quantum != nil }},
		{Name: "Memory", Check: checkMemory},
		{Name: "Nested", Check: checkNested, asks: nests},
		{Name: "Priority", Check: checkPriority,
			asks: func(s strategies.Spec) bool { return s.ByPriority != nil && s.Bound != nil }},
		{Name: "Deadline", Check: checkDeadline,
			asks: func(s strategies.Spec) bool { return s.ByDeadline && s.Bound != nil }},
		{Name: "Fair", Check: checkFair,
			asks: func(s strategies.Spec) bool { return s.Weights != nil && s.Bound != nil }},
		{Name: "Resize", Check: checkResize,
			asks: func(s strategies.Spec) bool { return s.Resizes }},
	}
}

// DurableClauses returns the contract of strategies that wait for a disk or a server, in the order
// of its documentation: under the real clock, so that no instant is exact. The slice is the
// caller's. Kept to Poison are for those whose tasks outlive the instance with their defaults.
func DurableClauses() []Clause {
	return []Clause{
		{Name: "Bound", Check: durable.Bound},
		{Name: "Once", Check: durable.Once},
		{Name: "Many", Check: durable.Many},
		{Name: "Context", Check: durable.Context},
		{Name: "Drain", Check: durable.Drain},
		{Name: "Closed", Check: durable.Closed},
		{Name: "Panic", Check: durable.Panic},
		{Name: "Order", Check: durable.Order},
		{Name: "Kept", Check: durable.Kept},
		{Name: "Killed", killed: durable.Killed, kills: 1},
		{Name: "Poison", killed: durable.Poison, kills: durable.PoisonAttempts},
	}
}
