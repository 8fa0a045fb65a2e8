package strategytest_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// A kind is what the reference declares beyond the bound, the capacity and the queue.
type kind struct {
	sheds   bool
	retries bool // in the place of the task, at most three attempts
	turns   bool // has a quantum: after each step a task goes to the tail of the queue
	splits  bool
	// a class pool for class Short, with half of the limit, and one for Long, each with the whole
	// queue
	separates bool
	// what the next task is chosen by
	urgent, dated, shares bool
}

var (
	blocking   = kind{}
	shedding   = kind{sheds: true}
	retrying   = kind{retries: true}
	turning    = kind{turns: true}
	splitting  = kind{splits: true}
	separating = kind{separates: true}
	urging     = kind{urgent: true}
	dating     = kind{dated: true}
	sharing    = kind{shares: true}
)

// A fault is one way in which the reference strategy is broken.
type fault int

const (
	sound fault = iota

	oneTooMany         // an off-by-one in the limit
	checksThenActs     // Submit looks for a free slot, and takes it later
	settlesTwice       // Done twice for each tenth task
	keepsRoomOfGivenUp // of one Submit in 700 that is given up
	losesOneInThousand // an accepted task that nobody runs
	exceedsSeldom      // one task more than the limit, after each 700th
	overtakesSeldom    // the second of the queue starts first, after each 700th task
	stallsSeldom       // the slot of each 700th task is free 50 ms later
	hangsAfterMany     // Drain does not return after 700 tasks
	shedsInstead       // says that it blocks, and sheds
	blocksInstead      // says that it sheds, and blocks
	runsWhatItShed     // a shed task is submitted again behind the caller's back, a minute later
	deafSubmit         // a blocked Submit does not look at its context
	deafToNew          // goes through its queue though New's context has ended
	losesOnDrain       // at the deadline the queue is thrown away without a word
	leavesChannelOpen  // a worker waits on a channel that is closed long after Drain
	leaksTicker        // a goroutine that keeps waking
	staysOpen          // accepts and runs tasks after Drain
	leaksSlotOnPanic   // the slot of a task that panicked is never given back
	leaksSlotOnGoexit  // likewise Goexit
	slotTwiceOnPanic   // the slot of a task that panicked is given back twice
	dealsInTurn        // tasks are dealt to the slots in turn, and wait for theirs
	startsLate         // after a task its slot rests for a millisecond, unless a new task comes
	lastInFirstOut     // a stack for a queue
	lastWaiterFirst    // a stack for blocked Submits
	queuesWithoutBound // accepts more than its capacity
	remembersTasks     // keeps a list of what it has done
	// a Submit that is given up leaves a goroutine that wants to tell it something
	sendsToNobody
	panicsOnLateSubmit // as a send on a closed channel does
	exitsOnLateSubmit  // as t.FailNow does
	spinsOnLateSubmit  // and under the virtual clock no time passes meanwhile
	locksOnLateSubmit  // locks the mutex that it has locked
	diesOnLateSubmit   // ends the process, without a word

	newIsNil      // New returns nil
	newPanics     // New panics
	newLocks      // New locks a mutex twice
	swallowsTasks // Submit returns nil and does nothing
	settlesOthers // Done is called with nil instead of the task
	panicsThrough // a task that panics ends the process
	panicsThroughAndRemembers

	settlesNil     // Done(nil) beside each tenth task
	settlesForeign // Done of a task that was never submitted
	settlesCopy    // Done of a copy of the task
	changesTask    // the task has another size when it is done

	retriesUnasked // carries out Retry and does not say so
	retriesForever // as long as a task asks for it

	partsNeedNoSlot // sub-tasks run side by side without taking slots
	partsUnasked    // sub-tasks run side by side, which it does not say
	// sub-tasks run one after another in the place of their task, though it says otherwise
	partsInTurn
	firstPartSettles // a task is done when the first of its sub-tasks is

	keepsItsTurn // a task of many steps keeps its slot
	jumpsTheLine // a task of many steps goes to the head of the queue

	oneForAll     // says that it separates, and has one class pool
	poolsUnasked  // separates, and does not say so
	poolsLarger   // says that a class pool has a slot more than it has
	lendsSlots    // a task may take a free slot of the other class pool
	sharesTheRoom // what is accepted for one class pool leaves less room for the other

	waitsForParent // a Submit from within a task returns when that task has ended

	choosesNothing // takes tasks in the order of acceptance
	smallestFirst  // takes a larger Priority for the less urgent
	newestOfEqual  // takes the last of tasks of the same priority
	undatedFirst   // takes tasks without a deadline for those of the earliest
	weighsNothing  // gives each tenant as much
	makesUp        // gives a tenant that comes what it missed while it was away
)

// chooses says whether the next task is another than the first in the queue.
func (k kind) chooses() bool { return k.urgent || k.dated || k.shares }

// weightOf are the reference's shares: tenant 1 has twice those of tenants 0 and 7, and tenant 2
// three times.
func weightOf(tenant int32) int { return 1 + int(tenant%7) }

// quantum is the reference's, if it has one.
const quantum = time.Millisecond

func referenceSpec(f fault, k kind) strategies.Spec {
	limit := func(p strategies.Params) int { return p.Limit }
	spec := strategies.Spec{
		Name: "reference", Bound: limit, Sheds: k.sheds, WorkConserving: !k.separates,
		UsesQueue: true, Retries: k.retries,
		Splits: k.splits,
		// the first cannot keep the order either, and is to be caught without declaring it
		FIFO:       f != dealsInTurn && !k.separates && !k.chooses(),
		ByPriority: func(strategies.Params) bool { return k.urgent },
		ByDeadline: k.dated,
		New: func(ctx context.Context, p strategies.Params,
			sink strategies.Sink) strategies.Strategy {
			if f == newIsNil {
				return nil
			}
			return newReference(ctx, f, k, p, sink)
		},
	}
	spec.Capacity = func(p strategies.Params) int { return p.Limit + p.Queue }
	if k.shares {
		spec.Weights = func(strategies.Params) func(int32) int { return weightOf }
	}
	if k.turns {
		spec.Quantum = func(strategies.Params) time.Duration { return quantum }
	}
	if k.separates {
		spec.ClassPools = func(p strategies.Params) []strategies.ClassPool {
			short := p.Limit / 2
			if f == poolsLarger {
				short++
			}
			return []strategies.ClassPool{{Class: strategies.Short, Limit: short},
				{Class: strategies.Long, Limit: p.Limit - p.Limit/2}}
		}
		spec.Capacity = func(p strategies.Params) int { return p.Limit + 2*p.Queue }
		spec.Check = func(p strategies.Params) error {
			if p.Limit < 2 {
				return errors.New("two pools want a limit of at least 2")
			}
			return nil
		}
	}
	return spec
}

func newReference(
	ctx context.Context, f fault, k kind, p strategies.Params, sink strategies.Sink,
) *reference {
	switch f {
	case newPanics:
		panic("no pool today")
	case newLocks:
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	}
	s := &reference{fault: f, kind: k, p: p, sink: sink, idle: make(chan struct{})}
	s.dealt, s.busy = make(map[*strategies.Task]int), make(map[int]bool)
	s.later = make(map[*strategies.Task]*time.Timer)
	switch {
	case k.separates && f == oneForAll:
		s.pools = []pool{{limit: p.Limit, room: p.Limit + 2*p.Queue}}
	case k.separates:
		short, long := p.Limit/2, p.Limit-p.Limit/2
		s.pools = []pool{{limit: short, room: short + p.Queue}, {limit: long, room: long + p.Queue}}
	case f == poolsUnasked && p.Limit > 1:
		s.pools = []pool{{limit: 1, room: 1 + p.Queue}, {limit: p.Limit - 1, room: p.Limit - 1}}
	default:
		s.pools = []pool{{limit: p.Limit, room: p.Limit + p.Queue}}
	}
	switch f {
	case oneTooMany:
		s.pools[0].limit++
	case queuesWithoutBound:
		s.pools[0].room = 1 << 20
	case shedsInstead:
		s.kind.sheds = true
	case blocksInstead:
		s.kind.sheds = false
	case partsUnasked:
		s.kind.splits = true
	case partsInTurn:
		s.kind.splits = false
	case keepsItsTurn:
		s.kind.turns = false
	case leavesChannelOpen:
		jobs := make(chan *strategies.Task)
		go func() {
			for range jobs {
			}
		}()
		go func() { <-s.idle; time.Sleep(tooLate); close(jobs) }()
	case leaksTicker:
		go func() {
			for late := time.Duration(0); late < tooLate; time.Sleep(time.Minute) {
				select {
				case <-s.idle:
					late += time.Minute
				default:
				}
			}
		}()
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, s.newEnded)
	go func() { <-s.idle; stop() }()
	return s
}
