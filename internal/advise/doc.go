// Package advise finds the strategy, limit, queue and pacing that meet objectives for given work
// and traffic (Question.Do).
//
// Strategies that are, by contract, one first-in-first-out queue without idle slots differ only in
// overhead. If the plan is known in advance, the recursion of Kiefer and Wolfowitz replaces their
// runs. It also covers paced strategies, and targets that decide by a targets.Policy. The waits of
// a pool fall with its limit, so bisection finds the smallest limit.
//
// Other strategies run their own code under the virtual clock at that limit: all with one seed, the
// better half with two, and so on. Those that meet the objectives are tried at smaller limits,
// assuming that a larger limit is no worse. All own-code runs have the same tasks and seeds (common
// random numbers), also under stress. If the work is real, the best run once in real time.
//
// A promise is a 95 % confidence interval for a metric, from batches, because responses of
// neighbouring tasks are correlated: twenty consecutive blocks of one long plan, corrected for the
// correlation of neighbours, or independent seeds if a run has an end.
//
// For a recorded plan, the promise is about another stretch of the same length, and is wider by the
// square root of two. If the recorded rate wanders, that stretch may be busier. The interval then
// extends to the value at a load extrapolated from the busiest tenth.
//
// The budget is a number of tasks, 50,000 per second, so the answer does not depend on the speed of
// the machine.
package advise
