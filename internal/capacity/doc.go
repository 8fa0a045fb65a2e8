// Package capacity finds the highest load that still meets objectives, or the smallest limit or the
// longest queue that does, as an interval with a confidence and never as the point where one lucky
// run happened to pass.
//
//	s := capacity.Search{Scenarios: scenarios, Objectives: list, Lo: 0.1, Hi: 1.2}
//	answers, err := s.Do(ctx, bench.Run, func(sc bench.Scenario, r *bench.Result, err error) error { … })
//
// # What is claimed
//
// Under the virtual clock the question is what a strategy does in the long run, where there is one
// (advise.HasLongRun). A load is met or missed where the exact value of theory, or the interval of
// the metric, lies on one side of the bound (package decide). The interval is that of a long plan
// that the recursion of Kiefer and Wolfowitz computes, where it comes to what the strategy's own
// runs do, to the digit; else that of the tasks of all runs together. Such runs start with idle
// slots, so those that are too short for their load do not meet anything: near saturation a queue
// grows for as long as a run lasts, and short runs flatter (longrun.go).
//
// Elsewhere a load is met when more than half of the runs at it would meet the objectives, over all
// seeds: when the typical run does. A run is as long as the scenario says.
//
// There the repetitions at a load are so many tosses of a coin, and a sign test decides (sign.go):
// met, missed, or undecided, when the load is too near to the truth for the runs that may be spent
// on it. It asks for no distribution: a p99 over seeds is skewed, and several objectives together
// have no distribution at all.
//
// The answer is the highest load met and the lowest one above it missed. Between the two lies the
// capacity.
//
// # Confidence of the whole
//
// Many loads are tried, and each could be judged wrongly. Repetition i has the same seed at every
// load and for every strategy, that is the same work at another pace (common random numbers). Where
// time is virtual nothing else differs, so each seed has a load of its own up to which it meets the
// objectives, and the tests at all loads ask about one sample of such loads: the interval is that
// of order statistics for their median, and judging many loads costs nothing. Under the real clock
// every run has noise of its own. There the risk is shared out among all loads that the search may
// try (Bonferroni), which takes more runs at each.
//
// # Calculated and confirmed
//
// With Search.Confirm, runs whose times follow from their plan are calculated by the recursion of
// Kiefer and Wolfowitz, and the strategy's own code runs at both ends of each answer: any
// difference, in any number of the result, is an error.
//
// # Shape
//
// Nothing says that a load below one that is met is met as well: goodput>=500 is missed where too
// little is offered, and a strategy may collapse and recover. So the search first looks at the
// whole range, evenly, and then halves the gap above the highest load that is met, on both sides of
// what stays undecided. A load that is missed below one that is met is part of the answer
// (Answer.MissedBelow). What happens between the loads that were tried nobody has seen.
package capacity
