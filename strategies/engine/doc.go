// Package engine has the building blocks of strategies: those of packages builtin and peers, and
// your own.
//
// An Executor makes a strategy of a library's pool, a Gate one of its semaphore or limiter, and
// package broker, below, one of a durable queue. A strategy without a library embeds one of these:
//
//   - Lifecycle: the tasks' context, the count of what is inside, the closing and the end. All
//     others embed it.
//   - PerTask: a goroutine for each task. Workers: long-lived ones that take tasks from a channel.
//   - Dispatch: workers that are handed their tasks.
//   - Backlog: a queue with a discipline of its own, under one mutex. Adaptive: one whose limit is
//     learnt.
//   - Pools: one pool of workers or several, whose tasks may come back to the queue. Loop: the
//     goroutine that reports their tasks.
//   - Hold, Route and RetryPart: the parts that wrap another strategy; Paced and Routed make such
//     parts of a Spec.
//
// Package around, below, builds parts that keep no tasks and only act at the start and the end of
// each.
//
// Slotted, Queued, Pooled and Separated declare what the usual shapes have in common; Retries are
// the waits between attempts.
//
// A strategy sets the exported fields before Open or Start. Afterwards only the engine changes
// them, or the strategy under the engine's Mutex where there is one.
//
// # Around
//
// Is what parts are built from that do something at the start and at the end of a
// task, and keep none: a breaker, a hedge.
//
// # Broker
//
// Makes a strategy of a durable queue: a Broker puts a message for each task, takes
// the next and settles it; package durable has those of SQLite, NATS, PostgreSQL, Redis and
// RabbitMQ.
package engine
