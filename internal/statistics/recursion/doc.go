// Package recursion computes when each task of a plan starts in a pool that is first come, first
// served and work-conserving, without running it: by the recursion of Kiefer and Wolfowitz (On the
// theory of queues with many servers, 1955), task by task, to the nanosecond. A strategy that
// declares both facts starts its tasks at the same instants under the virtual clock.
//
//	var pool recursion.Pool // reuse it: further runs do not allocate
//	pool.Run(due, service, 4, recursion.NeverFull)
//	responses := pool.Responses()
//
// Instants and times are nanoseconds. Tasks that are due together come in their order, and a slot
// that becomes free at the instant of an arrival is free for it.
package recursion
