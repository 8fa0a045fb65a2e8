// Package engine has the building blocks of strategies, for packages builtin, peers and durable and
// for your own.
//
// An Executor makes a strategy of a library's pool, a Gate of a semaphore or limiter, a Broker of a
// durable queue. Strategies without a library embed one of:
//
//   - Lifecycle: the tasks' context, the number of tasks inside, closing and the end. All others
//     embed it.
//   - PerTask: a goroutine for each task. Workers: long-lived ones that take tasks from a channel.
//   - Dispatch: workers that are handed their tasks.
//   - Backlog: a queue with a discipline of its own, under one mutex. Adaptive: one whose limit is
//     learnt.
//   - Pools: one pool of workers or several, whose tasks may return to the queue. Loop: the
//     goroutine that reports their tasks.
//   - Hold, RetryPart and Layer: parts that wrap another strategy. A Layer only acts at the start
//     and the end of a task, as a breaker does. Paced and Routed make parts of a Spec.
//
// Slotted, Queued, Pooled and Separated declare the common shapes. Retries computes the waits
// between attempts.
//
// A strategy sets exported fields before Open or Start. Afterwards only the engine changes them, or
// the strategy under the engine's Mutex.
package engine
