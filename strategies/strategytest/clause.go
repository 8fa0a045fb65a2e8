package strategytest

import (
	"github.com/poolbench/poolbench/strategies"
)

// A Clause is one clause of the contract. Check runs the strategy in this process, which the
// strategy may crash or leave with hanging goroutines.
type Clause struct {
	Name  string // name in the documentation of package strategies
	Check func(spec strategies.Spec) error
	// nil: it applies to all strategies
	applies func(spec strategies.Spec) bool
	// replaces Check in a clause that kills processes. It is called in consecutive processes with
	// the same queue. SIGKILL ends all of them except the last. ended is the number of killed
	// processes.
	killed func(spec strategies.Spec, queue string, ended int) error
	kills  int // number of processes to kill
}

// Asks reports whether the clause applies to a strategy with this Spec.
func (c Clause) Asks(spec strategies.Spec) bool { return c.applies == nil || c.applies(spec) }

func clausesOf(spec strategies.Spec) []Clause {
	if spec.RealClock {
		return DurableClauses()
	}
	return Clauses()
}

// Clauses returns the contract in the order of its documentation. A Check must not be called inside
// a synctest bubble.
func Clauses() []Clause {
	some, drained, full := []int{1, 3, 8}, []int{0, 56}, []int{0, 100}
	return []Clause{
		clause("Bound", func(s strategies.Spec) bool { return s.Bound != nil },
			trial{some, []int{0, 8}, boundHolds},
			trial{[]int{1, 4}, []int{0, 64}, boundHoldsInBursts},
			trial{some, []int{0, 8}, boundHoldsInSplits},
			inVolume(boundHoldsInVolume)),
		clause("Once", nil, usual(strict(onceUnderManyProducers)), usual(strict(onceWithRequests)),
			usual(strict(onceWithItsLastPart)), usual(onceEachTimeWhenReused),
			usual(strict(exhaustedOnce)), trial{[]int{4}, []int{0}, strict(hedgesOnce)}),
		clause("BlocksOrSheds", nil, trial{some, []int{0, 1, 8}, acceptsUntilFull},
			usual(acceptsFromTheFirstInstant), usual(countsWhatItSheds), usual(hasRoomOnDone),
			usual(poolsAreIndependent), trial{[]int{1, 4}, []int{0}, tripsAsDeclared}),
		clause("Context", nil, usual(refusesOnceEnded), usual(when(blocks, blockedSubmitReturns)),
			trial{[]int{1}, []int{0, 1}, when(blocks, cancelRacesRoom)},
			trial{[]int{4}, []int{0, 8}, when(blocks, leavesNoReservation(fewCallers))},
			usual(tasksSeeNewsContext), usual(queuedAreDoneWithItsError),
			usual(waitingEndsWithContext)),
		clause("Drain", nil, trial{[]int{1, 4}, drained, drainFinishes},
			trial{[]int{1, 4}, drained, drainCancels}, trial{[]int{1, 4}, drained, drainAbandons},
			trial{[]int{1, 4}, drained, drainGivesUp}, usual(drainLeavesNothing(nil)),
			usual(drainLeavesNothing(returnAtOnce)), usual(waitingIsDrained),
			inVolume(drainsAfterVolume)),
		clause("Closed", nil, usual(closedWhileAndAfterDraining),
			usual(when(blocks, closedToTheBlocked)), usual(closedAfterNewsContext),
			usual(closedFromTheBeginning), usual(submitRacesDrain)),
		clause("Panic", nil, usual(panicIsContained), usual(goexitIsContained),
			usual(otherTasksComplete), usual(leavesNoGoroutines(panicked)),
			usual(leavesNoGoroutines(exited))),
		clause("WorkConserving",
			func(s strategies.Spec) bool { return s.WorkConserving || s.Splits },
			trial{some, []int{0, 1000}, when(conserves, equalTasks)},
			trial{[]int{2, 8}, []int{0, 1000}, when(conserves, oneLongTask)},
			trial{some, []int{0, 8}, splitsSideBySide},
			inVolume(when(conserves, busyInVolume))),
		clause("Order", func(s strategies.Spec) bool { return s.FIFO || s.Quantum != nil },
			trial{[]int{1}, full, when(inOrder, startsInOrder)},
			trial{[]int{3, 8}, full, when(inOrder, neverStartsEarlier)},
			usual(when(inOrder, when(blocks, blockedInOrder))),
			trial{[]int{1, 3}, []int{0, 8}, stepsTakeTurns},
			inVolume(when(inOrder, inOrderInVolume))),
		clause("Memory", nil, trial{some, []int{0, 1, 8}, acceptsNoMore}, usual(keepsNoTask),
			usual(when(blocks, givenUpLeavesNothing))),
		{Name: "Nested", Check: checkNested, applies: nests},
		clause("Priority",
			func(s strategies.Spec) bool { return s.ByPriority != nil && s.Bound != nil },
			trial{[]int{1, 3}, full[1:], urgentFirst}),
		clause("Deadline", func(s strategies.Spec) bool { return s.ByDeadline && s.Bound != nil },
			trial{[]int{1, 3}, full[1:], earliestFirst}),
		clause("Fair", func(s strategies.Spec) bool { return s.Weights != nil && s.Bound != nil },
			trial{[]int{1, 3}, full[1:], sharesByWeight}),
		// Resize also applies to a strategy that has the method without declaring it.
		{Name: "Resize", applies: func(s strategies.Spec) bool { return s.Resizes },
			Check: clause("", nil, trial{[]int{1, 8}, []int{0, 16}, resizesAsDeclared},
				trial{[]int{8}, []int{0, 16}, resizable(resizesBothWays)},
				trial{[]int{8}, []int{0, 16}, resizable(losesNoTask)}).Check},
		clause("KeyOrder", func(s strategies.Spec) bool { return s.KeyOrder },
			trial{some, full, keepsKeyOrder}, usual(busyKeyHoldsNoSlot)),
	}
}

func clause(name string, applies func(strategies.Spec) bool, trials ...trial) Clause {
	return Clause{Name: name, applies: applies, Check: func(spec strategies.Spec) error {
		if applies != nil && !applies(spec) {
			return nil
		}
		return try(spec, trials...)
	}}
}

// DurableClauses returns the contract of strategies that wait for a disk or server, under the real
// clock. The clauses from Kept to Poison apply to strategies whose tasks outlive the instance.
func DurableClauses() []Clause {
	return []Clause{
		{Name: "Bound", Check: Bound},
		{Name: "Once", Check: Once},
		{Name: "Many", Check: Many},
		{Name: "Context", Check: Context},
		{Name: "Drain", Check: Drain},
		{Name: "Closed", Check: Closed},
		{Name: "Panic", Check: Panic},
		{Name: "Order", Check: Order},
		{Name: "Kept", Check: Kept},
		{Name: "Killed", killed: Killed, kills: 1},
		{Name: "Poison", killed: Poison, kills: poisonAttempts},
	}
}
