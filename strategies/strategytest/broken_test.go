package strategytest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// failed checks the named clauses, or all clauses, and returns those that spec breaks.
func failed(t *testing.T, spec strategies.Spec, of ...string) (names []string) {
	for _, c := range strategytest.Clauses() {
		if of != nil && !slices.Contains(of, c.Name) {
			continue
		}
		if err := c.Check(spec); err != nil {
			t.Logf("%s: %v", c.Name, err)
			names = append(names, c.Name)
		}
	}
	return names
}

// The error of a clause must contain the cause and the next step.
func TestSaysNextStep(t *testing.T) {
	for _, c := range []struct {
		fault  fault
		clause string
		want   []string
	}{
		{leaksSlotOnPanic, "Panic", []string{"tasks that panicked", "must recover", "*PanicError"}},
		{leaksSlotOnGoexit, "Panic", []string{"tasks that called runtime.Goexit",
			"deferred functions", "ErrGoexit", "engine.Executor in Lost"}},
		{lastInFirstOut, "Order", []string{"Spec.FIFO promises the order of acceptance"}},
		{lastWaiterFirst, "Order", []string{"Spec.FIFO promises the order of acceptance"}},
		{overtakesSeldom, "Order", []string{"Spec.FIFO promises the order of acceptance"}},
	} {
		for _, clause := range strategytest.Clauses() {
			if clause.Name != c.clause {
				continue
			}
			err := clause.Check(referenceSpec(c.fault, blocking))
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
		}
	}
}

func TestSound(t *testing.T) {
	for i, k := range []kind{blocking, shedding, retrying, turning, splitting, separating,
		urging, dating, sharing} {
		if testing.Short() && i%4 != 0 {
			continue
		}
		if names := failed(t, referenceSpec(sound, k)); names != nil {
			t.Errorf("%+v: failed %v", k, names)
		}
	}
}

// Each fault must break only its own clause. dealsInTurn also breaks another, because a task that
// waits for a task of its slot deadlocks. With -short, TestSound covers the other clauses. Three
// faults are common mistakes: a channel that is never closed, a goroutine leaked on a blocked send,
// and an ignored cancellation.
func TestBroken(t *testing.T) {
	others := !testing.Short()
	for _, test := range []struct {
		name   string
		fault  fault
		kind   kind
		clause string
	}{
		{"limit + 1", oneTooMany, blocking, "Bound"},
		{"check-then-act on an atomic", checksThenActs, blocking, "Bound"},
		{"one task too many after each 700th", exceedsSeldom, blocking, "Bound"},
		{"sub-tasks run side by side without slots", partsNeedNoSlot, splitting, "Bound"},

		{"a double settle", settlesTwice, blocking, "Once"},
		{"one task in a thousand is lost", losesOneInThousand, blocking, "Once"},
		{"a shed task also runs", runsWhatItShed, shedding, "Once"},
		{"a retry that nobody declared", retriesUnasked, blocking, "Once"},
		{"a retry never ends", retriesForever, retrying, "Once"},
		{"sub-tasks run side by side, which nobody declared", partsUnasked, blocking, "Once"},
		{"a task is done with its first sub-task", firstPartSettles, splitting, "Once"},

		{"nil is done", settlesNil, blocking, "Once"},
		{"a foreign task is done", settlesForeign, blocking, "Once"},
		{"a copy of a task is done", settlesCopy, blocking, "Once"},
		{"a task is changed", changesTask, blocking, "Once"},

		{"sheds instead of blocking", shedsInstead, blocking, "BlocksOrSheds"},
		{"blocks instead of shedding", blocksInstead, shedding, "BlocksOrSheds"},
		{"one class pool for all classes", oneForAll, separating, "BlocksOrSheds"},
		{"class pools that nobody declared", poolsUnasked, blocking, "BlocksOrSheds"},
		{"a class pool of another size than declared", poolsLarger, separating, "BlocksOrSheds"},
		{"long tasks take the slots of the short", lendsSlots, separating, "BlocksOrSheds"},
		{"long tasks take the room of the short", sharesTheRoom, separating, "BlocksOrSheds"},

		{"cancellation ignored: a blocked Submit goes on", deafSubmit, blocking, "Context"},
		{"one Submit in 700 that is given up keeps its room", keepsRoomOfGivenUp, blocking,
			"Context"},
		{"cancellation ignored: the queue goes on", deafToNew, blocking, "Context"},

		{"queued tasks are lost on drain", losesOnDrain, blocking, "Drain"},
		{"Drain hangs after 700 tasks", hangsAfterMany, blocking, "Drain"},
		{"a channel is never closed", leavesChannelOpen, blocking, "Drain"},
		{"a ticker is never stopped", leaksTicker, blocking, "Drain"},

		{"Submit is accepted after Drain", staysOpen, blocking, "Closed"},
		{"Submit panics after Drain", panicsOnLateSubmit, blocking, "Closed"},
		{"Submit ends its goroutine after Drain", exitsOnLateSubmit, blocking, "Closed"},

		{"a slot is leaked on panic", leaksSlotOnPanic, blocking, "Panic"},
		{"a slot is leaked on Goexit", leaksSlotOnGoexit, blocking, "Panic"},
		{"a slot is given back twice on panic", slotTwiceOnPanic, blocking, "Panic"},

		{"tasks are dealt in turn", dealsInTurn, blocking, "WorkConserving Nested"},
		{"one slot in 700 is free 50 ms late", stallsSeldom, blocking, "WorkConserving"},
		{"the next task starts late", startsLate, blocking, "WorkConserving"},
		{"sub-tasks run one after another", partsInTurn, splitting, "WorkConserving"},

		{"FIFO broken: a stack for a queue", lastInFirstOut, blocking, "Order"},
		{"FIFO broken: a stack for blocked Submits", lastWaiterFirst, blocking, "Order"},
		{"one task in 700 overtakes", overtakesSeldom, blocking, "Order"},
		{"a task of many steps keeps its slot", keepsItsTurn, turning, "Order"},
		{"a task of many steps goes to the head of the queue", jumpsTheLine, turning, "Order"},

		{"an unbounded queue behind a bounded face", queuesWithoutBound, blocking, "Memory"},
		{"a goroutine is leaked on a blocked send", sendsToNobody, blocking, "Memory"},
		{"tasks that are done are remembered", remembersTasks, blocking, "Memory"},

		{"a Submit from within a task waits for its end", waitsForParent, blocking, "Nested"},
		{"so does what it has accepted", waitsForParent, shedding, "Nested"},

		{"priorities are ignored", choosesNothing, urging, "Priority"},
		{"the smallest number goes first", smallestFirst, urging, "Priority"},
		{"of equal priorities the newest goes first", newestOfEqual, urging, "Priority"},

		{"deadlines are ignored", choosesNothing, dating, "Deadline"},
		{"no deadline is the earliest", undatedFirst, dating, "Deadline"},

		{"tenants are ignored", choosesNothing, sharing, "Fair"},
		{"weights are ignored", weighsNothing, sharing, "Fair"},
		{"a tenant makes up for its absence", makesUp, sharing, "Fair"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var names []string // clauses to check; nil means all
			if !others {
				names = strings.Fields(test.clause)
			}
			got := failed(t, referenceSpec(test.fault, test.kind), names...)
			if strings.Join(got, " ") != test.clause {
				t.Errorf("failed %v, want %v", got, test.clause)
			}
		})
	}
}
