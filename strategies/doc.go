// Package strategies has the contract of the ways of bounding concurrency that poolbench compares,
// and their registry. Start with [Spec], which describes a strategy and makes instances, and
// [Strategy], which is an instance:
//
//	spec, err := strategies.Lookup("semaphore")
//	s := spec.New(ctx, strategies.Params{Limit: 8}, sink)
//	err = s.Submit(ctx, task) // accepted: sink.Done(task, result) will follow
//	err = s.Drain(ctx)        // all accepted tasks are done
//
// Package builtin has the strategies, package peers those of popular libraries, and package durable
// queues that outlive the process. Importing one registers its strategies: they are then in All,
// and so in the contract tests, benchmarks, lists and charts. Package bench imports builtin.
//
// A strategy of your own needs no registration: any Spec will do. Package engine has building
// blocks: an Executor wraps a library's pool, a Gate its semaphore or limiter. strategytest.Run
// tests whether a strategy keeps the contract.
//
// Some strategies are also parts, which wrap any other strategy: a rate, a retry, a queue that
// sheds. [Compose] joins them; a [Part] is registered in the file of the strategy of its name.
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
//     its own result, or after the stages that follow the work (Spec.Stages); a refused one is neither run nor done. Done is called with the very Task that
//     was submitted, whose exported fields are as they were. All steps that Result.More asks for
//     and all sub-tasks of Result.Split are run, and count as parts of the one task. If
//     Spec.Retries, an attempt that asks for Retry is repeated, not before After, and after a
//     bounded number of attempts the task is done with ErrExhausted; otherwise every attempt is
//     final. If Spec.Hedges, a second attempt may run beside the first: the Run of a copy of the
//     task. The first that succeeds counts, the context of the other ends, and the task is done
//     when both have returned. A task that is done may be submitted again at once. If a shedding
//     strategy gives up an accepted task that has waited too long, it is done with ErrShed and not
//     run.
//  3. BlocksOrSheds: as long as fewer tasks are accepted and not done than Spec.Capacity declares,
//     Submit accepts at once. A full instance refuses with ErrShed at once if Spec.Sheds, otherwise
//     it blocks Submit until a task is done, and never sheds. An instance without a capacity is
//     never full. If Spec.Trips, an instance also refuses with ErrShed, or gives up accepted tasks
//     with it before they start, while too many recent tasks failed or were slow. Where Spec has
//     ClassPools, each class pool has its share of the capacity: a task needs room in the pool of
//     its class, or in any pool if its class has none; a full class pool holds up no other.
//  4. Context: a Submit whose ctx has ended is refused with ctx's error; a blocked one returns as
//     soon as its ctx ends, and leaves no slot taken, no token spent and no room reserved: those
//     who come later are served as by a new instance. Tasks run with a context derived from New's.
//     When New's context ends, running tasks see it, queued ones, and those that wait for another
//     attempt, are done with its error at once and without running, even if a running task does not
//     return.
//  5. Drain: it returns nil as soon as all accepted tasks are done. When its ctx ends first,
//     running tasks are cancelled with the cause ErrAbandoned and queued ones, and those that wait
//     for another attempt, are done with ErrAbandoned at once and without running, even if a
//     running task does not return; it returns a *DrainError with both counts as soon as nothing
//     runs any more, at the latest after DrainGrace. Several Drains may be called at once or one
//     after another. After it returns, no goroutine of the strategy is left, except those of tasks
//     that still run; these are done when they return.
//  6. Closed: from the moment that Drain is called, or New's context has ended and the strategy has
//     seen it, Submit is refused with ErrClosed, at once; so is every Submit that is blocked at
//     that moment. A Submit that races with it is either refused, or accepted and done before Drain
//     returns.
//  7. Panic: a task that panics is done with a *PanicError, one that calls runtime.Goexit (as
//     t.FailNow does) with ErrGoexit. No slot is lost or gained by it, no other task is affected,
//     and the process goes on. Spec.OnPanic describes how. New, Submit and Drain neither panic nor
//     end the goroutine of their caller.
//  8. WorkConserving: if declared, no slot is idle while an accepted task or a blocked Submit waits
//     for one. So n tasks of length d take exactly ⌈n/Bound⌉·d. If Spec.Splits, that holds for
//     sub-tasks too.
//  9. Order: if Spec.FIFO, slots are given in the order of acceptance: with a bound of 1 tasks
//     start in exactly that order, with more no task starts at an earlier instant than one that was
//     accepted before it. Submits that are blocked are accepted in the order in which they came. If
//     Spec.Quantum and not Splits, a task with steps left goes to the tail after each.
//  10. Memory: the tasks accepted and not done are never more than Spec.Capacity declares. A
//     strategy keeps no reference to a task that is done, and an abandoned Submit leaves nothing
//     behind.
//  11. Nested: a task may call Submit of the instance that runs it. If the tasks that wait for
//     others always leave a slot free, all complete: a tree of tasks that wait for their w
//     children, d levels above the leaves, completes at a limit of (w^d − 1)/(w − 1) + 1.
//     strategytest.SmallestLimit finds the smallest limit at which a strategy completes such a
//     tree. If Spec.Shrinks, there is none.
//  12. Priority: if Spec.ByPriority, the task that starts is the one with the largest Priority
//     among those that wait, and of these the one that was accepted first.
//  13. Deadline: if Spec.ByDeadline, the task that starts is the one with the earliest Deadline
//     among those that wait, and of these the one that was accepted first; those without a deadline
//     come last.
//  14. Fair: if Spec.Weights, then over any span in which two tenants have tasks waiting, the
//     numbers of their tasks that start, each divided by the tenant's weight, differ by 1 at most:
//     with equal weights by one task. A tenant that arrives, or returns, gets no credit for the
//     time before.
//  15. Resize: if Spec.Resizes, an instance is a Resizer, and no other is. The new limit, from 1 to
//     Params.Limit, holds when Resize returns, also while tasks arrive and end: if it is larger,
//     waiting tasks start at once; if it is smaller, running tasks continue and none starts until
//     fewer run. No task is lost, and the capacity stays.
//  16. KeyOrder: if Spec.KeyOrder, at most one task of a key (Task.Tenant) runs at a time, and the
//     tasks of a key start in the order of acceptance. Tasks of other keys, and tasks with a
//     negative Tenant, do not wait for it while a slot is free.
//
// The durations in these clauses are exact under a virtual clock (testing/synctest), where "at
// once" means that no time passes. So every wait must be durably blocking there: on channels,
// timers, a sync.Cond or a WaitGroup made inside the bubble, never on a mutex that another
// goroutine holds while it waits.
//
// # Strategies that wait for a disk or a server
//
// A strategy that declares RealClock is held to the clauses Bound, Once, Context, Drain, Closed,
// Panic and Order under the real clock, without exact instants, and to four more. An accepted task
// survives what Spec.Durability declares.
//
//   - Many: of some thousand accepted tasks each is done once.
//   - Kept: the next instance of the same queue (Params.Resume) runs every task that an instance
//     leaves when its context or that of its Drain ends. An acknowledged task never runs again:
//     when Drain returns nil, all tasks that have run are acknowledged.
//   - Killed: the same holds when the process is killed. A task that was running then runs again,
//     after the lease of its message at the latest; it is done at least once, and may be done
//     twice.
//   - Poison: a task that kills each process that runs it becomes a dead letter after the last
//     attempt, as does one that panics or asks for another attempt each time. It holds up no other
//     task.
//
// When the store fails, for good or for longer than a server needs to restart, the instance ends by
// itself: Submit is refused with a *StoreError, waiting tasks are done with it, and Drain returns
// it, with the numbers of tasks accepted, still in the store, and lost.
//
// # Panics
//
// This contract asks a strategy under test to contain panics, so that the run can go on and count
// the task. That is not advice for servers: golang.org/x/sync/errgroup lets panics crash the
// process, with good reasons (go.dev/issue/53757).
package strategies
