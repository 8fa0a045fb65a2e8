// Package advise finds the strategy, limit, queue and pacing that meet objectives for given work
// and traffic.
//
//	q := advise.Question{Scenario: scenario, Objectives: list}
//	answer, err := q.Do(ctx, bench.Run)
//
// # The search
//
// Every strategy gets the same work (common random numbers). Strategies that by contract are one
// first-in-first-out queue without idle slots differ only in overhead, so one recursion (Kiefer and
// Wolfowitz) replaces their runs if the plan is known in advance. It also covers paced strategies,
// and targets that decide by a targets.Policy. A pool's waits fall with the limit on every path, so
// bisection finds the smallest limit. Other strategies run their own code under the virtual clock
// at that limit: first with one seed, then the better half with twice as many, and so on. Those
// that meet the objectives are tried at smaller limits, assuming that a larger limit is no worse.
// For a target with a rate limit, candidates include compositions around a worker pool of a part
// that keeps the rate and a part that retries or sheds. If the work is real, the best run once in
// real time: a valid run that misses makes an option undecided, an INVALID run changes nothing.
// Answer.NotLooked lists the candidates that were not tried.
//
// # The comparison
//
// All runs of strategies' own code have the same number of tasks and the same seeds, also under
// stress. Short runs give too good values, so the ratio of a run to the recursion of the same tasks
// is applied to the recursion of all traffic. A run that loses other tasks than the recursion has
// no ratio. Then the tasks of all runs are pooled. Equal figures are a tie, and the simplest
// strategy wins. A stress is compared with its pairs without the stress. A difference that may be
// chance counts as no worse.
//
// If the load is not below the slots, the pace or the rate of the target, the queue grows
// throughout the traffic. This is unstable, and has no figure. The same applies to a strategy whose
// own runs drift.
//
// # The promise
//
// A promise is a 95 % confidence interval for a metric. Responses of neighbouring tasks are
// correlated, so it uses batches: twenty consecutive blocks of one long plan, with a correction for
// the correlation of neighbours if the traffic is a process, or independent seeds if a run has an
// end. A plan has a million tasks or more whatever the budget, or all of a record. The interval of
// a quantile is the interval of the share of tasks beyond it, on a logarithmic scale. For a
// process, the promise is about the process. For a recorded plan it is about another stretch of the
// same length, and is wider by the square root of two. If the recorded rate wanders, that stretch
// may have busier times than this one: the interval extends to the plan's value at a load
// extrapolated from the work of its busiest tenth.
//
// # The recommendation
//
// Options that surely meet the objectives are ordered by the smallest limit, then a clearly higher
// load at which they still do, then a clearly better promise, then simplicity
// (strategies.Spec.Parts).
//
// # Budget
//
// The budget is counted in tasks, 50,000 per second: for one seed the answer is the same on every
// machine, and a slow machine takes longer. If it is too small to run every strategy once, the
// simplest run, and Answer.NotLooked lists the others.
package advise
