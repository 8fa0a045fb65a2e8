// Package recursion computes the start of each task of a plan in a first-come-first-served,
// work-conserving pool without running it, by the recursion of Kiefer and Wolfowitz (On the theory
// of queues with many servers, 1955). Under the virtual clock, the results are exact to the
// nanosecond.
//
// Times are in nanoseconds. Tasks with equal due times start in their order in the plan. A slot
// that becomes free at the instant of an arrival is free for it.
package recursion
