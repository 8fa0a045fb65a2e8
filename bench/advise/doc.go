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
// recursion (Kiefer and Wolfowitz) stands for all of them, as long as the plan can be drawn and no
// target comes between. Their waits fall with the limit on every path, so the smallest limit is
// found by halving. All others run their own code under the virtual clock, at that limit: first
// briefly, then the better half for twice as long, and so on. What meets the objectives there is
// tried at smaller limits, which assumes that a larger limit is no worse. Where the work is real,
// the best are run once in real time: a valid run that misses makes an option undecided, one that
// may not be believed says nothing. Answer.NotLooked says what nobody looked at.
//
// # What is promised
//
// A promise is an interval for a metric with 95 % confidence. Responses of neighbouring tasks are
// alike, so it rests on batches: independent seeds where the traffic is a process, twenty
// consecutive blocks where it is one recorded plan. The interval of a quantile is that of the share
// of tasks beyond it, on a logarithmic scale. For a process it is about the process; for a recorded
// plan about another stretch of the same length, which is wider by the square root of two. Where
// the recorded rate wanders, that stretch may have a busier time than any of this one: by the tail
// of the work of its busiest tenth, the interval reaches up to what the plan is at that load.
//
// # Which one is recommended
//
// Of all that surely meet the objectives: the smallest limit, then what holds at a clearly higher
// load, then the simplest (strategies.Spec.Parts).
//
// # Budget
//
// The budget is counted in tasks, 50,000 for each second: for one seed the answer is the same on
// every machine, and a slow one takes longer.
package advise
