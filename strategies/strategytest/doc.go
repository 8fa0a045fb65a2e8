// Package strategytest tests whether a strategy keeps the contract of package strategies:
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
// Run tests the properties that the Spec declares. Start with Bound and Capacity, and add other
// properties as they hold. A strategy that limits a rate must start 32 tasks within a second.
//
// The checks use a virtual clock (testing/synctest) and take a few seconds in total, or one second
// with -short. A strategy that spins or waits for a mutex stops the virtual clock. The check then
// fails after 30 s of real time without an event (POOLBENCH_PATIENCE sets another limit).
//
// # Child processes
//
// A panic in a goroutine of the strategy, or os.Exit, ends the process, and a hang remains. Clauses
// therefore run in a copy of the test process that runs only the test that called Run. A clause
// that ends the copy has failed, and the next clauses run in another copy. Note:
//
//   - Code before and after Run in the test function, and TestMain, also runs in the copy. If the
//     copy does not reach Run, the clauses run in the process of the test, which reports it.
//   - In the copy, stdin differs from that of the test.
//   - A debugger does not see the copy. POOLBENCH_STRATEGYTEST=here runs the clauses without it.
//   - With -cover, passed clauses run again in the process of the test.
//
// With -race on several processors, Go 1.26 may fail with "ThreadSanitizer: CHECK failed" when a
// strategy uses a time.Timer or time.Ticker that has expired or has no wait (go.dev/issue/78156).
// GOMAXPROCS=1 avoids this fault of the virtual clock.
package strategytest
