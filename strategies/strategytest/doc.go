// Package strategytest tests whether a strategy keeps the contract of package strategies. It is for
// the authors of strategies, in this module and elsewhere:
//
//	func TestContract(t *testing.T) {
//		strategytest.Run(t, strategies.Spec{
//			Name:     "mine",
//			Bound:    func(p strategies.Params) int { return p.Limit },
//			Capacity: func(p strategies.Params) int { return p.Limit },
//			FIFO:     true,
//			New:      newMine,
//		})
//	}
//
// What the Spec declares is what is tested: the number of tasks at once, the capacity, blocking or
// shedding, the order, retries, turns, sub-tasks side by side, class pools. Start with those two
// functions and add the rest as it holds. Parameters of its own are at their defaults; with these a
// strategy that limits a rate has to start 32 tasks within a second.
//
// The checks run under a virtual clock (testing/synctest): they take a second in all, a duration
// that they find is exact, and a deadlock is an error that says what was waited for, with the
// stacks of who waits. A strategy that spins, or waits for a mutex that is not given back, stops
// that clock. Then the check is given up once nothing has happened in 30 s of real time
// (POOLBENCH_PATIENCE sets another); a busy machine only slows it down.
//
// # Child processes
//
// A panic in a goroutine of the strategy cannot be caught by anybody else and ends the process, as
// it would end a program; so does os.Exit; what hangs stays. So the clauses are tested in a copy of
// the test's process, which runs the test that called Run, and that alone. Where a
// clause takes it along, that clause has failed, and the next are tested in another copy. All is as
// if there was none: the flags -run, -short, -race, -cpu and those of your own hold in the copy
// too; with -cover what has passed is tested once more in the process of the test, so that it
// counts; the copy ends with the test, however that ends. There are three things to know:
//
//   - What comes before and after Run in the test function, and TestMain, is done in the copy as
//     well, at the same time. Where the copy does not come as far as Run, since a port is taken for
//     instance, the clauses are tested in the process of the test, and it says so.
//   - In the copy, stdin is not the test's.
//   - A debugger does not see the copy. POOLBENCH_STRATEGYTEST=here does without one.
//
// Under -race on several processors, Go 1.26 may break off with "ThreadSanitizer: CHECK failed"
// when a strategy asks a time.Timer or time.Ticker that has already expired, or was set to no wait
// (go.dev/issue/78156): that is a fault of the virtual clock, and GOMAXPROCS=1 avoids it.
//
// The package tests itself: strategies that are broken on purpose, one fault each, fail the clause
// that they break and no other. One that cannot do a single task fails before the clauses, and
// once.
//
// Each clause has a file, named for it. Strategies that wait for a disk or a server have clauses of
// their own (clauses.go, end.go), which run under the real clock, so that no instant is exact. The
// other files run the clauses: the bubble with its virtual clock, the child process and its
// messages, and the rig, or for durable strategies the instance (instance.go), that tasks run in.
package strategytest
