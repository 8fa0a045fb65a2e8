// Package peers makes strategies of other people's libraries, to compare them with those of package
// builtin through the same interface, with the same accounting and under the same contract.
//
//	for _, spec := range peers.All() {
//		s := spec.New(ctx, strategies.Params{Limit: 8}, sink)
//		…
//	}
//
// It is a package of its own because of the libraries that it imports.
//
// # What a peer is
//
// A peer is a library's pool or limiter, used as its documentation says, with its defaults, and an
// adapter that adds what the contract requires. The libraries come in three shapes:
//
//   - Executors take a func and run it: ants, pond, conc, workerpool, tunny, gopool. They become
//     strategies by [engine.Executor].
//   - Gates hand out permits and leave the running to the caller: failsafe_bulkhead,
//     failsafe_breaker. They become strategies by [engine.Gate].
//   - Limiters are gates that learn from the outcome of each task: failsafe_adaptive,
//     failsafe_priority, concurrency_limits. limiter.go defines for all of them which outcomes are
//     successes, which are signs of overload, and which are neither.
//
// An adapter adds no allocation, and as little else as it can; Executor and Gate document what they
// add. If a library cannot do what the contract requires, the adapter does it from outside where
// that is possible. A blocked Submit can be cancelled, because it waits for a slot before the
// library, not inside. Tasks in a library's queue are settled when their context ends, and the
// library later finds them empty. A panic never reaches a library, which might let it crash the
// process. A worker that a task ended with Goexit is replaced if the pool can grow. Spec.Adds of
// each peer lists its additions, with the behaviour of the bare library.
//
// # How to add one
//
// Write a file named for it, with one register line: copy the one of the same shape. Declare only
// facts that are true (the contract tests check them in both directions), go get the module, and
// add it to strategies/peers in internal/project/arrows_test.go.
//
// # Known faults
//
// docs/measured/board.md has them with what shows each, and the clauses that hold.
//
// Defects of the libraries that were reproduced in the version that go.mod has. Most are of the
// bare library, and are kept from the peer's users by its adapter; the ones that break a clause of
// the contract for the peer say so. Each has a test that fails when the fault is gone, so that an
// upstream fix is noticed, and the versions are compared with go.mod.
//
//   - panjf2000/ants/v2 v2.12.1: importing it starts two goroutines that never end
//   - panjf2000/ants/v2 v2.12.1: the panic handler runs outside the limit
//   - panjf2000/ants/v2 v2.12.1: a MultiPool is not work-conserving: behind one long task, short
//     ones take 127 ms instead of 73 ms
//   - alitto/pond/v2 v2.7.1: a sub-pool of a full pool that does not block loses the task, and its
//     StopAndWait hangs
//   - alitto/pond/v2 v2.7.1: Go swallows a panic: there is no handler and no message, only a count
//   - alitto/pond/v2 v2.7.1: Stop uses a pool of the package, so that a second synctest bubble in
//     the process crashes it
//   - sourcegraph/conc v0.3.0: Go after Wait, or during it, panics
//   - gammazero/workerpool v1.3.0: a panic in a task crashes the process (documented)
//   - gammazero/workerpool v1.3.0: Stop drops accepted tasks without a trace (documented)
//   - gammazero/workerpool v1.3.0: Goexit in a task costs a worker for good, and Stop then hangs
//   - gammazero/workerpool v1.3.0: so a task that ends with ErrGoexit costs the peer a slot
//     [breaks workerpool: Panic]
//   - Jeffail/tunny v0.1.4: a panic in a task crashes the process
//   - Jeffail/tunny v0.1.4: Process after Close panics
//   - Jeffail/tunny v0.1.4: Goexit in a task costs a worker for good, and makes the caller of
//     Process panic
//   - bytedance/gopkg v0.1.4: several submitters at once get more workers than the limit [breaks
//     gopool: Bound]
//   - bytedance/gopkg v0.1.4: Goexit in a task costs a worker for good
//   - failsafe-go/failsafe-go v0.9.8: Run with a Bulkhead loses a permit per panic that is
//     recovered outside
//   - failsafe-go/failsafe-go v0.9.8: Run with an AdaptiveLimiter loses a permit per panic that is
//     recovered outside
//   - failsafe-go/failsafe-go v0.9.8: Run with a half-open CircuitBreaker loses a trial per panic
//     that is recovered outside, and stays half-open
//   - failsafe-go/failsafe-go v0.9.8: a panic in a func run with a HedgePolicy crashes the process
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter serves what waits in the order in which it
//     came, whatever its priority (documented)
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter to which several come at once has more of
//     them wait than it is told to
//   - failsafe-go/failsafe-go v0.9.8: a PriorityLimiter refuses a share of the tasks before its
//     queue is full (documented) [breaks failsafe_priority: BlocksOrSheds]
//   - platinummonkey/go-concurrency-limits v0.8.0: SimpleStrategy lets in more than its limit
//     (documented)
//   - platinummonkey/go-concurrency-limits v0.8.0: BlockingLimiter loses a wake-up that comes
//     between its look and its wait
//   - platinummonkey/go-concurrency-limits v0.8.0: QueueBlockingLimiter loses a wake-up that comes
//     between its look and its wait
//   - platinummonkey/go-concurrency-limits v0.8.0: BlockingLimiter leaves a goroutine behind for
//     each Acquire that was given up
//   - platinummonkey/go-concurrency-limits v0.8.0: QueueBlockingLimiter ignores OrderingLIFO
//   - x/time v0.16.0: a rate.Limiter keeps the tokens of callers of Wait that gave up: of 400
//     callers at 50/s who hang up after 310 ms, all later callers starve for 8 s
//
// Found by reading and not reproduced, so not in the table: ants signals a freed slot without its
// lock when a task has ended its worker, so that a submitter could miss it until the next purge a
// second later (none was seen in 24 million tasks).
package peers
