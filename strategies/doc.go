// Package strategies holds the ways of bounding concurrency that poolbench compares: how many tasks
// run at once, what happens to those that must wait, and what that costs.
//
// Start with [Spec], which describes a strategy and makes instances, and [Strategy], which is an
// instance:
//
//	spec, err := strategies.Lookup("semaphore")
//	s := spec.New(ctx, strategies.Params{Limit: 8}, sink)
//	err = s.Submit(ctx, task) // accepted: sink.Done(task, result) will follow
//	err = s.Drain(ctx)        // all accepted tasks are done
//
// This package is the contract alone. Package builtin has the strategies, package peers those of
// the popular libraries, package durable queues that outlive the process; they are in All, and so
// in the contract tests, the benchmarks, the lists and the charts, once their package is imported,
// and package bench imports builtin. Package engine has what they are built from, an Executor for a
// library's pool and a Gate for its semaphore or limiter, for a strategy of your own as well. That
// needs no registration: any Spec will do, and strategytest.Run tests whether it keeps the
// contract.
//
// Some strategies are parts as well, which go around any other: a rate, a retry, a queue that
// sheds. [Compose] joins them; a [Part] is registered in the file of the strategy that it is taken
// from.
//
// # The contract
//
// "Accepted" is a Submit that returned nil, "done" a call of Sink.Done, "refused" a Submit that
// returned an error. A task that runs is inside its Run. A slot is a slot of the limit. Each
// clause is one test of the same name in strategytest, which holds a strategy to what its Spec
// declares, in both directions: one that declares that it sheds must never block, and one that does
// not must never shed.
//
//  1. Bound: never do more tasks run at once than Spec.Bound declares.
//  2. Once: an accepted task is run exactly once and done exactly once, after its last step, with
//     the result of its own; a refused one is neither run nor done. Done is called with the very
//     Task that was submitted, whose exported fields are as they were. The steps that Result.More
//     asks for and the sub-tasks of Result.Split are all run, and count as parts of the one task.
//     An attempt that asks for Retry is tried again if Spec.Retries, not before After, and after a
//     bounded number of attempts the task is done with ErrExhausted; otherwise it is final. If
//     Spec.Hedges, a second attempt may run beside the first: the Run of a copy of the task. The
//     first that succeeds counts, the context of the other ends, and the task is done when both
//     have returned. A task that is done may be submitted again at once. One that a shedding strategy gives up after
//     acceptance, because it has waited too long, is done with ErrShed and not run.
//  3. BlocksOrSheds: as long as fewer tasks are accepted and not done than Spec.Capacity declares,
//     Submit accepts at once. A full instance refuses with ErrShed at once if Spec.Sheds, otherwise
//     it blocks Submit until a task is done, and never sheds. An instance without a capacity is
//     never full. One that Trips also refuses with ErrShed, or gives up so before the start, while
//     too many of the tasks before failed or were slow. Where Spec has ClassPools, each class pool has its share of the capacity: a task
//     needs room in its class pool, and one whose class has no class pool needs room in any; a full
//     class pool holds up no other.
//  4. Context: a Submit whose ctx has ended is refused with ctx's error; one that is blocked
//     returns as soon as its ctx ends, and takes nothing with it. Tasks run with a context derived
//     from New's. When New's context ends, running tasks see it, queued ones, and those that wait
//     for another attempt, are done with its error at once and without running, even if a running
//     task does not return.
//  5. Drain: it returns nil when all accepted tasks are done, no later. When its ctx ends first,
//     running tasks are cancelled with the cause ErrAbandoned and queued ones, and those that wait
//     for another attempt, are done with ErrAbandoned at once and without running, even if a
//     running task does not return; it returns a *DrainError with both counts as soon as nothing
//     runs any more, at the latest after DrainGrace. Several Drains may be called at once or one
//     after another. Then no goroutine of the strategy is left, except under tasks that still run;
//     these are done when they return.
//  6. Closed: from the moment that Drain is called, or New's context has ended and the strategy has
//     seen it, Submit is refused with ErrClosed, at once; so is every Submit that is blocked at
//     that moment. A Submit that races with it is either refused, or accepted and done before Drain
//     returns.
//  7. Panic: a task that panics is done with a *PanicError, one that calls runtime.Goexit (as
//     t.FailNow does) with ErrGoexit. No slot is lost or won by it, no other task is touched, and
//     the process lives. Spec.OnPanic says how. New, Submit and Drain neither panic nor end the
//     goroutine of their caller.
//  8. WorkConserving: if declared, no slot is idle while an accepted task or a blocked Submit
//     waits for one. So n tasks of the same length d take exactly ⌈n/Bound⌉·d. If Spec.Splits, that
//     holds for sub-tasks too.
//  9. Order: if Spec.FIFO, slots are given in the order of acceptance: with a bound of 1 tasks
//     start in exactly that order, with more no task starts at an earlier instant than one that was
//     accepted before it. Submits that are blocked are accepted in the order in which they came. If
//     Spec.Quantum and not Splits, a task with steps left goes to the tail after each.
//  10. Memory: never are more tasks accepted and not done than Spec.Capacity declares. A strategy
//     keeps no reference to a task that is done, and a Submit that was given up leaves nothing
//     behind.
//  11. Nested: a task may call Submit of the instance that runs it. Where the tasks that wait for
//     others leave a slot free, whatever the order, all complete: a tree of tasks that wait for
//     their w children, d levels above the leaves, at a limit of (w^d − 1)/(w − 1) + 1.
//     strategytest.SmallestLimit finds the smallest at which a strategy does.
//  12. Priority: if Spec.ByPriority, the task that starts is the one with the largest Priority
//     among those that wait, and of these the one that was accepted first.
//  13. Deadline: if Spec.ByDeadline, the task that starts is the one with the earliest Deadline
//     among those that wait, and of these the one that was accepted first; those without a deadline
//     come last.
//  14. Fair: if Spec.Weights, then over any span in which two tenants have tasks waiting, the
//     numbers of their tasks that start, each divided by the tenant's weight, differ by 1 at most:
//     with equal weights by one task. A tenant that comes, or comes again, is owed nothing for the
//     time before.
//  15. Resize: if Spec.Resizes, an instance is a Resizer, and no other is. A limit from 1 to
//     Params.Limit counts from the return of Resize on, in both directions and among tasks that
//     come and go: with a larger one tasks that wait start at once, with a smaller one those that
//     run go on and none starts before fewer run. No task is lost by it, and the capacity stays.
//
// The durations in these clauses are exact under a virtual clock (testing/synctest), where "at
// once" means that no time passes. So all waiting must be durably blocking there: on channels,
// timers, a sync.Cond or a WaitGroup made inside, never on a mutex that another goroutine holds
// while it waits.
//
// # Strategies that wait for a disk or a server
//
// One that declares RealClock is held to the clauses Bound, Once, Context, Drain, Closed, Panic and
// Order under the real clock, in which no instant is exact, and to four more. Accepted means that
// Submit has returned nil, and outlives what Spec.Durability says.
//
//   - Many: of some thousand accepted tasks each is done once.
//   - Kept: what an instance leaves when its context or that of its Drain ends, the next instance
//     of the same queue (Params.Resume) runs, all of it. What has been acknowledged never comes
//     again: before Drain returns nil, that is all that has run.
//   - Killed: so it is with a process that is killed. A task that was running then runs again,
//     after the lease of its message at the latest; it is done at least once, and may be done twice.
//   - Poison: a task that kills each process that runs it becomes a dead letter after the last
//     attempt, as one does that asks for another attempt each time, or panics. It stops no other.
//
// When the store fails, for good or for longer than a server needs to be started again, the
// instance ends by itself: Submit is refused with a *StoreError, tasks that wait are done with it,
// and Drain returns it, with how many accepted tasks were done, are in the store and are lost.
//
// # Panics
//
// To contain a panic is what this contract asks of a strategy under test, so that one task costs
// one task and a run can go on and count it. It is not advice for servers:
// golang.org/x/sync/errgroup lets panics crash the process, with good reasons (go.dev/issue/53757).
//
// # Size
//
// Nearly all of the exported names are the contract: what a task, a result, a sink and a Spec are.
package strategies
