// Package strategytest tests whether a strategy keeps the contract of package strategies. It is for the authors of strategies,
// in this module and elsewhere:
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
// What the Spec declares is what is tested: the number of tasks at once, the capacity, blocking or shedding, the order, retries,
// turns, sub-tasks side by side, lanes. Start with those two functions and add the rest as it holds. Parameters of its own are at
// their defaults; with these a strategy that limits a rate has to start 32 tasks within a second.
//
// The checks run under a virtual clock (testing/synctest): they take a second in all, a duration that they find is exact, and a
// deadlock is an error that says what was waited for. A strategy that holds a mutex while it waits stops that clock; then the
// check gives up after a minute of real time and says so. A panic in a goroutine of the strategy cannot be caught by anybody
// else and ends the test process, as it would end a program.
//
// Under -race on several processors, Go 1.26 may break off with "ThreadSanitizer: CHECK failed" when a strategy asks a time.Timer or
// time.Ticker that has already expired, or was set to no wait (go.dev/issue/78156): that is a fault of the virtual clock, and GOMAXPROCS=1
// avoids it.
//
// The package tests itself: strategies that are broken on purpose, one fault each, fail the clause that they break and no other.
package strategytest
