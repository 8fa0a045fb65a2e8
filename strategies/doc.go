// Package strategies defines the contract of the concurrency-limiting strategies that poolbench
// compares, and their registry. A [Spec] describes a strategy and makes instances. A [Strategy] is
// an instance:
//
//	spec, err := strategies.Lookup("semaphore")
//	s := spec.New(ctx, strategies.Params{Limit: 8}, sink)
//	err = s.Submit(ctx, task) // accepted: sink.Done(task, result) will follow
//	err = s.Drain(ctx)        // all accepted tasks are done
//
// Importing package builtin, peers (popular libraries) or durable (queues that outlive the process)
// registers its strategies in All. Any other Spec works without registration. Package engine has
// building blocks. [Compose] wraps a strategy in parts, such as a rate limit or a retry.
//
// # The contract
//
// A task is accepted when Submit returns nil, refused when Submit returns an error, and done when
// Sink.Done is called. A task runs while its Run executes. Package strategytest tests each clause,
// and the facts of the Spec in both directions: a strategy that declares Sheds must never block,
// and any other must never shed.
//
//  1. Bound: at most Spec.Bound tasks run at once.
//  2. Once: an accepted task runs exactly once and is done exactly once, with its own result,
//     after its last step and the stages that follow the work (Spec.Stages). A refused task is
//     neither run nor done. Done receives the submitted Task with its exported fields unchanged,
//     and the task may be submitted again at once. Steps (Result.More) and sub-tasks
//     (Result.Split) are parts of one task. If Spec.Retries, an attempt that requests Retry is
//     repeated, not before After, and after a bounded number of attempts the task is done with
//     ErrExhausted. If Spec.Hedges, the Run of a copy of the task may run in parallel with the
//     first. The first success counts and cancels the context of the other, and the task is done
//     when both have returned. A shedding strategy may give up an accepted task that has waited
//     too long, with ErrShed.
//  3. BlocksOrSheds: while fewer than Spec.Capacity tasks are accepted and not done, Submit
//     accepts at once. A full instance refuses at once with ErrShed if Spec.Sheds, and otherwise
//     blocks until a task is done. If Spec.Trips, an instance also refuses or gives up tasks with
//     ErrShed while too many recent tasks failed or were slow. With Spec.ClassPools, each class
//     pool has its share of the capacity. A task needs room in the pool of its class, or in any
//     pool if its class has none. A full class pool does not delay the other classes.
//  4. Context: Submit with an ended ctx returns ctx's error. A blocked Submit returns as soon as
//     its ctx ends and leaves no slot taken, no token spent and no room reserved. Tasks run with a
//     context derived from New's. When New's context ends, tasks that are queued or wait for
//     another attempt are done with its error at once, even if a running task does not return.
//  5. Drain: it returns nil as soon as all accepted tasks are done. When its ctx ends first,
//     running tasks are cancelled with the cause ErrAbandoned, and tasks that are queued or wait
//     for another attempt are done with ErrAbandoned as in clause 4. Drain returns a *DrainError
//     with both counts as soon as nothing runs, at the latest after DrainGrace. Drain may be
//     called repeatedly and concurrently. After it returns, the only goroutines of the strategy
//     are those of tasks that still run, which are done when they return.
//  6. Closed: after Drain has been called, or the strategy has seen the end of New's context,
//     every Submit returns ErrClosed at once, including blocked ones. A Submit that races with
//     Drain is either refused, or accepted and done before Drain returns.
//  7. Panic: a task that panics is done with a *PanicError, and a task that calls runtime.Goexit
//     (as t.FailNow does) with ErrGoexit. No slot is lost or gained, no other task is affected,
//     and the process goes on. New, Submit and Drain neither panic nor end the goroutine of their
//     caller.
//  8. WorkConserving: if declared, no slot is idle while an accepted task or a blocked Submit
//     waits for one. So n tasks of length d need exactly ⌈n/Bound⌉·d. If Spec.Splits, sub-tasks
//     count as tasks.
//  9. Order: if Spec.FIFO, slots are given in the order of acceptance. With a bound of 1, tasks
//     start in exactly that order. With a larger bound, no task starts at an earlier instant than
//     a task accepted before it. Blocked Submits are accepted in the order of their calls. If
//     Spec.Quantum and not Splits, a task with steps left goes to the tail of the queue after each
//     step.
//  10. Memory: at most Spec.Capacity tasks are accepted and not done. A strategy keeps no reference
//     to a done task, and an abandoned Submit leaves nothing behind.
//  11. Nested: a task may call Submit of the instance that runs it. If the tasks that wait for
//     other tasks always leave a slot free, all complete: a tree in which each task waits for its
//     w children, d levels above the leaves, completes at a limit of (w^d − 1)/(w − 1) + 1. If
//     Spec.Shrinks, no limit is guaranteed.
//  12. Priority: if Spec.ByPriority, the waiting task with the largest Priority starts next. Among
//     equals the task accepted first starts.
//  13. Deadline: if Spec.ByDeadline, the waiting task with the earliest Deadline starts next. Among
//     equals the task accepted first starts. Tasks without a deadline come last.
//  14. Fair: if Spec.Weights, over any span in which two tenants have tasks waiting, the numbers of
//     their starts, each divided by the tenant's weight, differ by at most 1. A tenant that
//     arrives or returns gets no credit for the time before.
//  15. Resize: an instance is a Resizer if and only if Spec.Resizes. A new limit, from 1 to
//     Params.Limit, applies when Resize returns. If the limit grows, waiting tasks start at once.
//     If it shrinks, running tasks continue and no task starts until fewer than the limit run. No
//     task is lost, and the capacity does not change.
//  16. KeyOrder: if Spec.KeyOrder, at most one task of a key (Task.Tenant) runs at a time, and the
//     tasks of a key start in the order of acceptance. Tasks of other keys, and tasks with a
//     negative Tenant, do not wait for them while a slot is free.
//
// The durations are exact under a virtual clock (testing/synctest), where "at once" means that no
// time passes. So every wait must be durably blocking: on channels, timers, a sync.Cond or a
// WaitGroup made inside the bubble, never on a mutex whose holder waits.
//
// # Strategies that wait for a disk or a server
//
// A strategy that declares RealClock must keep the clauses Bound, Once, Context, Drain, Closed,
// Panic and Order under the real clock, without exact instants, and four more:
//
//   - Many: of some thousand accepted tasks, each is done once.
//   - Kept: when the context of an instance or of its Drain ends, the next instance of the same
//     queue (Params.Resume) runs every task that was left. An acknowledged task never runs again.
//     When Drain returns nil, all tasks that have run are acknowledged.
//   - Killed: Kept also holds when the process is killed. A task that was running then runs again,
//     at the latest when the lease of its message ends. It is done at least once.
//   - Poison: a task that kills each process that runs it becomes a dead letter after the last
//     attempt, as does a task that panics or requests another attempt each time.
//
// When the store fails for longer than a server needs to restart, the instance ends by itself.
// Submit then returns a *StoreError, waiting tasks are done with it, and Drain returns it with the
// counts.
//
// # Panics
//
// Strategies contain panics so that a run can count the task and go on. In a server, a panic should
// crash the process (go.dev/issue/53757).
package strategies
