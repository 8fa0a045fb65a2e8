// Package advise finds the strategy, limit, queue and pacing that meet objectives for given work
// and traffic.
//
//	q := advise.Question{Scenario: scenario, Objectives: list}
//	answer, err := q.Do(ctx, bench.Run)
//
// # The search
//
// Two searches find the answer: one over the candidates (halving.go), and one over an ordered axis:
// a limit, a queue or a load (axis.go). Every strategy gets the same work (common random numbers).
//
// Some strategies are, by contract, one first-in-first-out queue without idle slots. They differ
// only in overhead, so if the plan is known in advance, one recursion (Kiefer and Wolfowitz)
// replaces their runs. It also covers paced strategies, and targets that decide by a
// targets.Policy. The waits of a pool fall with its limit, so bisection finds the smallest limit.
//
// Other strategies run their own code under the virtual clock at that limit: all with one seed, the
// better half with two, and so on. Those that meet the objectives are tried at smaller limits,
// assuming that a larger limit is no worse. For a target with a rate limit, candidates include
// worker pools with a part that keeps the rate and a part that retries or sheds.
//
// If the work is real, the best run once in real time. A valid run that misses makes an option
// undecided. An INVALID run changes nothing. Answer.NotLooked lists the candidates that were not
// tried.
//
// # The comparison
//
// All runs of strategies' own code have the same number of tasks and the same seeds, also under
// stress. Short runs are biased towards good values, so the ratio of a run to the recursion of the
// same tasks is multiplied with the recursion of all traffic. If a run loses other tasks than the
// recursion does, the tasks of all runs are pooled instead. Among equal figures, the simplest
// strategy wins. A stress is compared with the same runs without it. A difference that may be
// chance counts as no worse.
//
// An option is unstable, and has no figures, if the load is not below the slots, the pace or the
// rate of the target, or if the latency of its own runs grows throughout.
//
// # The promise
//
// A promise is a 95 % confidence interval for a metric. Responses of neighbouring tasks are
// correlated, so it uses batches: twenty consecutive blocks of one long plan, corrected for the
// correlation of neighbours if the traffic is a process, or independent seeds if a run has an end.
// Whatever the budget, a plan has two million tasks or more, or all of a record. The interval of a
// quantile follows from the share of tasks beyond it, on a logarithmic scale.
//
// For a recorded plan, the promise is about another stretch of the same length, and is wider by the
// square root of two. If the recorded rate wanders, that stretch may have busier times than this
// one. The interval then extends to the value at a load extrapolated from the busiest tenth.
//
// # The recommendation
//
// Options that surely meet the objectives are ordered by the smallest limit, then a clearly higher
// load at which they still do, then a clearly better promise, then simplicity
// (strategies.Spec.Parts).
//
// # Budget
//
// The budget is a number of tasks, 50,000 per second, so the answer does not depend on the speed of
// the machine. If it is too small to run every strategy once, only the simplest run, and
// Answer.NotLooked lists the others.
package advise
