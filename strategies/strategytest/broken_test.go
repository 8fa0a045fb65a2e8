package strategytest_test

import (
	"slices"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// failed returns the names of the clauses that spec breaks, and what they say.
func failed(t *testing.T, spec strategies.Spec) (names []string) {
	for _, c := range strategytest.Clauses() {
		if err := c.Check(spec); err != nil {
			t.Logf("%s: %v", c.Name, err)
			names = append(names, c.Name)
		}
	}
	return names
}

// TestSound is the control of TestBroken: the reference without a fault keeps the contract, blocking and shedding.
func TestSound(t *testing.T) {
	for _, sheds := range []bool{false, true} {
		if names := failed(t, referenceSpec(sound, sheds)); names != nil {
			t.Errorf("sheds %v: failed %v", sheds, names)
		}
	}
}

// TestBroken shows that each fault fails the clause that it breaks, and no other. Three of them are the common mistakes of
// limited concurrency in Go: a channel left open, a send to somebody who has gone, work that goes on after its context.
func TestBroken(t *testing.T) {
	for _, test := range []struct {
		name   string
		fault  fault
		sheds  bool
		clause string
	}{
		{"one too many at once", oneTooMany, false, "Bound"},
		{"done twice", settlesTwice, false, "Once"},
		{"one task in a thousand is lost", losesOneInThousand, false, "Once"},
		{"retries unasked", retriesUnasked, false, "Once"},
		{"sheds instead of blocking", shedsInstead, false, "BlocksOrSheds"},
		{"blocks instead of shedding", blocksInstead, true, "BlocksOrSheds"},
		{"a blocked Submit is deaf to its context", deafSubmit, false, "Context"},
		{"goes on after the end of New's context", deafToNew, false, "Context"},
		{"the queue is lost at Drain's deadline", losesOnDrain, false, "Drain"},
		{"accepts after Drain", staysOpen, false, "Closed"},
		{"a late Submit panics", panicsOnLateSubmit, false, "Closed"},
		{"a panic leaks its place", leaksPlaceOnPanic, false, "Panic"},
		{"a Goexit leaks its place", leaksPlaceOnGoexit, false, "Panic"},
		{"a panic gives its place back twice", placeTwiceOnPanic, false, "Panic"},
		{"tasks are dealt in turn", dealsInTurn, false, "WorkConserving"},
		{"the next task starts late", startsLate, false, "WorkConserving"},
		{"a stack for a queue", lastInFirstOut, false, "Order"},
		{"a stack for blocked Submits", lastWaiterFirst, false, "Order"},
		{"queues without bound", queuesWithoutBound, false, "Memory"},
		{"remembers its tasks", remembersTasks, false, "Memory"},
		{"sends to a Submit that was given up", sendsToNobody, false, "Memory"},
		{"a channel is left open", leavesChannelOpen, false, "Drain"},
		{"a ticker is left over", leaksTicker, false, "Drain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := failed(t, referenceSpec(test.fault, test.sheds)); !slices.Equal(got, []string{test.clause}) {
				t.Errorf("failed %v, want %v", got, test.clause)
			}
		})
	}
}
