// Package advise answers which strategy, with which limit, queue and pacing, meets objectives for
// given work and traffic.
//
//	q := advise.Question{Scenario: scenario, Objectives: list}
//	answer, err := q.Do(ctx, bench.Run)
//
// # The search
//
// Every strategy gets the same work (common random numbers). Strategies that by their contract are
// one first-in-first-out queue without idle slots differ only in their overhead, so one recursion
// (Kiefer and Wolfowitz) stands for all of them, as long as the plan can be drawn. It also stands
// for those that keep a pace, and for targets that decide by a targets.Policy. The waits of a pool
// fall with the limit on every path, so the smallest limit is found by halving. All others run
// their own code under the virtual clock, at that limit: first with one seed, then the better half
// with twice as many, and so on. Those that meet the objectives are tried at smaller limits, which
// assumes that a larger limit is no worse. Before a target that limits a rate, the candidates
// include compositions of two parts around a worker pool: one that keeps the rate, and one that
// retries or sheds. Where the work is real, the best are run once in real time: a valid run that
// misses makes an option undecided, an INVALID one changes nothing. Answer.NotLooked has the
// candidates that were not tried.
//
// # The comparison
//
// All runs of strategies' own code have the same number of tasks and the same seeds, those under
// stress too. Such runs are short, and short runs flatter. So a run is compared with the recursion
// of the same tasks, and the ratio is applied to the recursion of all of the traffic: all figures
// stand for one length. A run that loses other tasks than the recursion has no ratio: then the
// tasks of all runs count together. Equal figures are a tie, and the simplest strategy wins. A
// stress is compared with its pairs without the stress; if their difference may be chance, it is no
// worse.
//
// If the load is not below the slots, the pace or the rate of the target, the queue grows for as
// long as the traffic lasts. This is unstable, and has no figure. So is a strategy whose own runs
// drift.
//
// # The promise
//
// A promise is a 95 % confidence interval for a metric. Responses of neighbouring tasks are alike,
// so it rests on batches: twenty consecutive blocks of one long plan, allowing for the correlation
// of neighbours where the traffic is a process, and independent seeds where a run ends. A plan has
// a million tasks or more whatever the budget, or all of a record. The interval of a quantile is
// that of the share of tasks beyond it, on a logarithmic scale. For a process it is about the
// process. For a recorded plan it is about another stretch of the same length, which is wider by
// the square root of two. If the recorded rate wanders, that stretch may have a busier time than
// any of this one: by the tail of the work of its busiest tenth, the interval extends to the value
// of the plan at that load.
//
// # The recommendation
//
// Of all that surely meet the objectives: the smallest limit, then those that hold at a clearly
// higher load, then those that promise clearly more, then the simplest (strategies.Spec.Parts).
//
// # Budget
//
// The budget is counted in tasks, 50,000 for each second: for one seed the answer is the same on
// every machine, and a slow one takes longer. If it is too small to run every strategy once, the
// simplest run, and Answer.NotLooked has the others.
package advise
