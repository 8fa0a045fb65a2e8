// Package engine provides building blocks for strategies. An Executor turns a goroutine pool of a
// library into a strategy, a Gate a semaphore or limiter, and a Broker a durable queue. A strategy
// without a library embeds one of these types:
//
//   - Lifecycle: the context of the tasks, their count, and shutdown. All others embed it.
//   - PerTask: one goroutine per task.
//   - Workers: long-lived workers that receive tasks from a channel.
//   - Dispatch: workers that are started on demand.
//   - Backlog: a queue with a custom discipline.
//   - Adaptive: a queue whose limit is learned.
//   - Pools: pools of workers whose tasks may return to the queue.
//   - Hold, RetryPart and Layer: parts that wrap another strategy.
//
// A strategy sets exported fields before Open or Start. Afterwards it changes them only while it
// holds the engine's Mutex.
package engine
