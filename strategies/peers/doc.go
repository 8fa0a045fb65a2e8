// Package peers contains strategies that adapt pools and limiters of popular libraries. The clauses
// of the contract hold for them, except for the faults below. They are a separate package because
// of the libraries that it imports.
//
// A library is used as its documentation says, with its defaults. [engine.Executor] adapts pools
// that accept a func, and [engine.Gate] adapts semaphores and limiters. limiter.go defines which
// outcomes of a task a learning limiter counts as successes and as signs of overload. Spec.Adds of
// each peer lists what its adapter adds, with the behaviour of the bare library.
//
// To add one, copy the file of a similar peer, and add the module to strategies/peers in
// internal/project/arrows_test.go.
//
// # Known faults
//
// These defects were reproduced in the version of go.mod. Most are hidden by the adapter. Those
// that break a clause of the contract are marked. The test of a fault fails when the fault is
// fixed. docs/measured/board.md has the reproductions.
//
//   - panjf2000/ants/v2 v2.12.1: importing it starts two goroutines that never end
//   - panjf2000/ants/v2 v2.12.1: the panic handler runs outside the limit
//   - panjf2000/ants/v2 v2.12.1: a MultiPool is not work-conserving: behind one long task, short
//     ones take 127 ms instead of 73 ms
//   - alitto/pond/v2 v2.7.1: a sub-pool of a full pool that does not block loses the task, and its
//     StopAndWait hangs
//   - alitto/pond/v2 v2.7.1: Go swallows a panic: there is no handler and no message, only a count
//   - alitto/pond/v2 v2.7.1: Stop uses a global pool of the package, so a second synctest bubble in
//     the process crashes it
//   - sourcegraph/conc v0.3.0: Go after Wait, or during it, panics
//   - gammazero/workerpool v1.3.0: a panic in a task crashes the process (documented)
//   - gammazero/workerpool v1.3.0: Stop silently drops accepted tasks (documented)
//   - gammazero/workerpool v1.3.0: Goexit in a task costs a worker for good, and Stop then hangs
//   - gammazero/workerpool v1.3.0: so a task that ends with ErrGoexit costs the peer a slot
//     [breaks workerpool: Panic]
//   - Jeffail/tunny v0.1.4: a panic in a task crashes the process
//   - Jeffail/tunny v0.1.4: Process after Close panics
//   - Jeffail/tunny v0.1.4: Goexit in a task costs a worker for good, and makes the caller of
//     Process panic
//   - bytedance/gopkg v0.1.4: concurrent submitters start more workers than the limit [breaks
//     gopool: Bound]
//   - bytedance/gopkg v0.1.4: Goexit in a task costs a worker for good
//   - failsafe-go/failsafe-go v0.9.8: Run with a Bulkhead loses a permit per panic that is
//     recovered outside
//   - failsafe-go/failsafe-go v0.9.8: Run with an AdaptiveLimiter loses a permit per panic that is
//     recovered outside
//   - failsafe-go/failsafe-go v0.9.8: Run with a half-open CircuitBreaker loses a trial per panic
//     that is recovered outside, and stays half-open
//   - failsafe-go/failsafe-go v0.9.8: a panic in a func run with a HedgePolicy crashes the process
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter serves waiting tasks in their order of
//     arrival, whatever their priority (documented)
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter lets more tasks wait than allowed if
//     several arrive at once
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter refuses a share of the tasks before its
//     queue is full (documented) [breaks failsafe_priority: BlocksOrSheds]
//   - platinummonkey/go-concurrency-limits v0.8.0: SimpleStrategy admits more tasks than its limit
//     (documented)
//   - platinummonkey/go-concurrency-limits v0.8.0: BlockingLimiter loses a wake-up between its
//     check and its wait
//   - platinummonkey/go-concurrency-limits v0.8.0: QueueBlockingLimiter loses a wake-up between its
//     check and its wait
//   - platinummonkey/go-concurrency-limits v0.8.0: BlockingLimiter leaks a goroutine for each
//     Acquire whose caller gave up
//   - platinummonkey/go-concurrency-limits v0.8.0: QueueBlockingLimiter ignores OrderingLIFO
//   - x/time v0.16.0: a rate.Limiter keeps the tokens of callers of Wait that gave up: of 400
//     callers at 50/s who hang up after 310 ms, all later callers starve for 8 s
//
// Not reproduced, so not in the table: ants signals a freed slot without its lock when a task has
// ended its worker, so a submitter could miss it until the next purge a second later.
package peers
