// Package capacity finds the highest load that still meets objectives, or the smallest limit or the
// longest queue that does, as an interval with a confidence.
//
//	s := capacity.Search{Scenarios: scenarios, Objectives: list, Lo: 0.1, Hi: 1.2}
//	answers, err := s.Do(ctx, bench.Run, func(sc bench.Scenario, r *bench.Result, err error) error { … })
//
// The answer is the highest load met and the lowest one above it missed. Between the two lies the
// capacity.
//
// # When a load is met
//
// Under the virtual clock the answer is about the long run of a strategy, if it has one
// (longrun.go). A load is met or missed if the exact value of theory, or the interval of the
// metric, lies on one side of the bound (package decide). The interval is that of a long plan that
// the recursion of Kiefer and Wolfowitz computes, if it equals the strategy's own runs to the
// digit, and else that of the tasks of all runs together. Near saturation a queue grows for as long
// as a run lasts, and runs start with idle slots, so runs that are too short for their load do not
// meet anything.
//
// Elsewhere a load is met when more than half of the runs at it would meet the objectives, over all
// seeds. A sign test over the repetitions decides (sign.go): met, missed, or undecided when the
// load is too near to the truth for the runs that may be spent on it. It assumes no distribution.
//
// # Confidence of the whole
//
// Many loads are tried, and each could be judged wrongly. Repetition i has the same seed at every
// load and for every strategy, so the same work at another pace (common random numbers). Under the
// virtual clock nothing else differs: each seed has a load up to which it meets the objectives, and
// the tests at all loads are about one sample of such loads. The interval is that of order
// statistics for their median, and judging many loads costs nothing. Under the real clock every run
// has noise of its own, so the risk is divided among all loads that the search may try
// (Bonferroni), which takes more runs at each.
//
// # Calculated and confirmed
//
// With Search.Confirm, runs whose times follow from their plan are calculated by the recursion, and
// the strategy's own code runs at both ends of each answer: any difference, in any number of the
// result, is an error.
//
// # Shape
//
// A load below one that is met need not be met: goodput>=500 is missed where too little is offered,
// and a strategy may collapse and recover. So the search first tries the whole range, evenly, and
// then halves the gap above the highest load that is met, on both sides of what stays undecided.
// Answer.MissedBelow has a missed load below one that is met. Loads between those that were tried
// are not known.
package capacity
