// Package advise answers which strategy, with which limit, queue and pacing, meets objectives for
// given work and traffic.
//
//	q := advise.Question{Scenario: scenario, Objectives: list}
//	answer, err := q.Do(ctx, bench.Run)
//
// # What is searched
//
// Every strategy meets the same work (common random numbers). Those that their contract holds to be
// one first-in-first-out queue without idle slots differ in nothing but their overhead, so one
// recursion (Kiefer and Wolfowitz) stands for all of them, as long as the plan can be drawn. It
// stands for those that keep a pace, and for targets that decide by a targets.Policy, as well. The
// waits of a pool fall with the limit on every path, so the smallest limit is found by halving. All
// others run their own code under the virtual clock, at that limit: first with one seed, then the
// better half with twice as many, and so on. What meets the objectives there is tried at smaller
// limits, which assumes that a larger limit is no worse. Before a target that limits a rate,
// compositions of two parts around a worker pool are among them: one that keeps the rate, and one
// that tries again or refuses. Where the work is real, the best are run
// once in real time: a valid run that misses makes an option undecided, one that may not be
// believed says nothing. Answer.NotLooked says what nobody looked at.
//
// # What is compared
//
// All runs of strategies' own code have the same number of tasks and the same seeds, those under
// stress too. Such runs are short, and short runs flatter. So a run is set against what the
// recursion says of the same tasks, and the ratio is applied to what it says of all of the traffic:
// figures stand for one length, whoever they are of. A run that loses other tasks than the
// recursion has no ratio: then the tasks of all runs count together. Where the figures of two are
// equal they are a tie, and the simplest wins. A stress is compared with its pairs without the
// stress; where their difference may be chance, it is no worse.
//
// Where the load is not below the slots, the pace or the rate of the target, the queue grows for as
// long as the traffic lasts. This is unstable, and has no figure. So is a strategy whose own runs
// drift.
//
// # What is promised
//
// A promise is an interval for a metric with 95 % confidence. Responses of neighbouring tasks are
// alike, so it rests on batches: twenty consecutive blocks of one long plan, allowing for the
// correlation of neighbours where the traffic is a process, and independent seeds where a run ends.
// A plan has a million tasks or more whatever the budget, or all of a record. The interval of a
// quantile is that of the share of tasks beyond it, on a logarithmic scale. For a process it is
// about the process; for a recorded plan about another stretch of the same length, which is wider
// by the square root of two. Where the recorded rate wanders, that stretch may have a busier time
// than any of this one: by the tail of the work of its busiest tenth, the interval reaches up to
// what the plan is at that load.
//
// # Which one is recommended
//
// Of all that surely meet the objectives: the smallest limit, then what holds at a clearly higher
// load, then what promises clearly more, then the simplest (strategies.Spec.Parts).
//
// # Budget
//
// The budget is counted in tasks, 50,000 for each second: for one seed the answer is the same on
// every machine, and a slow one takes longer. Where it is too small to run every strategy once, the
// simplest run, and Answer.NotLooked has the others.
package advise
