package strategytest_test

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// kind is the set of properties that the reference declares besides bound, capacity and queue.
type kind struct {
	sheds   bool
	retries bool // at most three attempts, all in the task's slot
	turns   bool // has a quantum: after each step a task goes to the tail of the queue
	splits  bool
	// Short has a pool with half of the limit, Long one with the rest
	separates             bool
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

type fault int

const (
	sound fault = iota

	oneTooMany         // off by one in the limit
	checksThenActs     // Submit checks for a free slot and takes it later
	settlesTwice       // calls Done twice for each tenth task
	keepsRoomOfGivenUp // loses the room of one in 700 Submits that give up
	losesOneInThousand // never runs one accepted task in a thousand
	exceedsSeldom      // exceeds the limit by one after each 700th task
	overtakesSeldom    // starts the second task of the queue first, after each 700th task
	stallsSeldom       // frees the slot of each 700th task 50 ms late
	hangsAfterMany     // Drain does not return after 700 tasks
	shedsInstead       // declares blocking, but sheds
	blocksInstead      // declares shedding, but blocks
	runsWhatItShed     // submits a shed task itself a minute later
	deafSubmit         // a blocked Submit ignores its context
	deafToNew          // continues to run queued tasks after the end of New's context
	losesOnDrain       // drops the queue at the deadline of Drain without calling Done
	leavesChannelOpen  // a worker waits on a channel that is closed long after Drain
	leaksTicker        // leaves a goroutine that keeps waking
	staysOpen          // accepts and runs tasks after Drain
	leaksSlotOnPanic   // never frees the slot of a task that panicked
	leaksSlotOnGoexit  // never frees the slot of a task that called Goexit
	slotTwiceOnPanic   // frees the slot of a task that panicked twice
	dealsInTurn        // assigns tasks to slots in turn, and each waits for its own
	// leaves a slot idle for a millisecond after a task, unless a new task arrives
	startsLate
	lastInFirstOut     // uses a stack as the queue
	lastWaiterFirst    // uses a stack for blocked Submits
	queuesWithoutBound // accepts more than its capacity
	remembersTasks     // keeps a list of done tasks
	// a Submit that gives up leaves a goroutine blocked on a send
	sendsToNobody
	panicsOnLateSubmit // like a send on a closed channel
	exitsOnLateSubmit  // like t.FailNow
	spinsOnLateSubmit  // virtual time stands still meanwhile
	locksOnLateSubmit  // locks a mutex that it holds
	diesOnLateSubmit   // calls os.Exit

	newIsNil      // New returns nil
	newPanics     // New panics
	newLocks      // New locks a mutex twice
	swallowsTasks // Submit returns nil and does nothing
	settlesOthers // calls Done with nil instead of the task
	panicsThrough // a task that panics ends the process
	panicsThroughAndRemembers

	settlesNil     // also calls Done(nil) for each tenth task
	settlesForeign // calls Done with a task that was never submitted
	settlesCopy    // calls Done with a copy of the task
	changesTask    // changes the task's size before Done

	retriesUnasked // retries without declaring it
	retriesForever // retries as long as a task asks for it

	partsNeedNoSlot // runs sub-tasks concurrently without slots
	partsUnasked    // runs sub-tasks concurrently without declaring it
	// declares concurrent sub-tasks, but runs them in sequence
	partsInTurn
	firstPartSettles // a task is done when its first sub-task is done

	keepsItsTurn // a task keeps its slot between steps
	jumpsTheLine // a task returns to the head of the queue between steps

	oneForAll     // declares class pools, but has one pool
	poolsUnasked  // has class pools without declaring them
	poolsLarger   // declares one slot more per class pool than it has
	lendsSlots    // a task may use a free slot of the other class pool
	sharesTheRoom // the class pools share their room

	waitsForParent // a Submit from within a task returns when that task has ended

	choosesNothing // takes tasks in order of acceptance
	smallestFirst  // takes tasks of small Priority first
	newestOfEqual  // takes the last of several tasks with the same priority
	undatedFirst   // takes tasks without a deadline first
	weighsNothing  // ignores the weights of tenants
	makesUp        // gives an arriving tenant credit for its absence
)

// chooses reports whether the next task may not be the first in the queue.
func (k kind) chooses() bool { return k.urgent || k.dated || k.shares }

func weightOf(tenant int32) int { return 1 + int(tenant%7) }

const quantum = time.Millisecond

func referenceSpec(f fault, k kind) strategies.Spec {
	limit := func(p strategies.Params) int { return p.Limit }
	spec := strategies.Spec{
		Name: "reference", Bound: limit, Sheds: k.sheds, WorkConserving: !k.separates,
		UsesQueue: true, Retries: k.retries,
		Splits: k.splits,
		// dealsInTurn does not keep the order. It must fail without declaring it.
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
