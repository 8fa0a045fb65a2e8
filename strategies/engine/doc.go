// Package engine has what strategies are built from, those of package builtin, the libraries of
// package peers and one of your own alike.
//
// A library's pool becomes a strategy by an Executor, its semaphore or limiter by a Gate; a durable
// queue by a broker, in the package below. What starts from nothing embeds one of these:
//
//   - Lifecycle: the tasks' context, the count of what is inside, the closing and the end. All
//     others embed it.
//   - PerTask: a goroutine for each task. Workers: long-lived ones that take tasks from a channel.
//   - Dispatch: workers that are handed their tasks.
//   - Backlog: a queue with a discipline of its own, under one mutex. Adaptive: one whose limit is
//     learnt.
//   - Pools: one pool of workers or several, whose tasks may come back to the queue. Loop: the
//     goroutine that reports their tasks.
//   - Hold, Route and RetryPart: the parts that go around another strategy; Paced and Routed make
//     them of its Spec.
//
// Parts that keep no tasks, and do something at the start and the end of each, are built from
// package around, below.
//
// Slotted, Queued, Pooled and Separated declare what the usual shapes have in common; Retries are
// the waits between attempts.
//
// Their fields are exported because a strategy in another package sets them, before Open or Start;
// none may be changed afterwards but by the engine, or under its Mutex where it has one.
//
// # Size
//
// An engine is a file or two, and its parts are names that a strategy's file uses.
package engine
