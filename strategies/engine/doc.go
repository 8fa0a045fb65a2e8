// Package engine provides building blocks for strategies. The packages builtin, peers and durable
// use them.
//
// An Executor turns a goroutine pool of a library into a strategy. A Gate does so for a semaphore
// or limiter, a Broker for a durable queue. A strategy without a library embeds one of these types:
//
//   - Lifecycle: the context of the tasks, the count of accepted tasks, and shutdown. All others
//     embed it.
//   - PerTask: one goroutine per task.
//   - Workers: long-lived workers that receive tasks from a channel.
//   - Dispatch: workers that are started on demand.
//   - Backlog: a queue with a custom discipline.
//   - Adaptive: a queue whose limit is learned.
//   - Pools: one or several pools of workers whose tasks may return to the queue.
//   - Loop: the goroutine that reports the tasks of Pools.
//   - Hold, RetryPart and Layer: parts that wrap another strategy. A Layer acts only at the start
//     and the end of a task, like a circuit breaker. Paced and Routed complete a strategies.Part.
//
// Slotted, Queued, Pooled and Separated declare the common properties of a Spec. Retries computes
// the waits between attempts.
//
// A strategy sets exported fields before Open or Start. Afterwards only the engine changes them,
// unless the strategy holds the engine's Mutex.
package engine
