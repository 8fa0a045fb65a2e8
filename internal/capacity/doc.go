// Package capacity finds the highest load that meets objectives, or the smallest limit or the
// longest queue, as an interval with a confidence.
//
//	s := capacity.Search{Scenarios: scenarios, Objectives: list, Lo: 0.1, Hi: 1.2}
//	answers, err := s.Do(ctx, bench.Run, func(sc bench.Scenario, r *bench.Result, err error) error { … })
//
// The answer is the highest load met and the lowest higher load missed. The capacity lies between
// the two.
//
// # When a load is met
//
// Under the virtual clock the answer is about the long run of a strategy, if it has one
// (longrun.go). A load is met or missed if the exact value of theory, or the interval of the
// metric, lies on one side of the bound (package decide). If the recursion of Kiefer and Wolfowitz
// equals the strategy's own runs to the digit, the interval comes from the recursion over a long
// plan, otherwise from the tasks of all runs together. Near saturation a queue grows throughout a
// run, and runs start with idle slots, so runs that are too short for their load do not meet
// anything.
//
// Otherwise a load is met if more than half of the runs over all seeds would meet the objectives. A
// sign test over the repetitions decides (sign.go): met, missed, or undecided if the load is too
// close to the capacity for the available runs. It assumes no distribution.
//
// # Confidence of the whole
//
// Many loads are tried, and each could be judged wrongly. Repetition i has the same seed at every
// load and for every strategy, so the same work at another rate (common random numbers). Under the
// virtual clock there is no other difference: each seed has a load up to which it meets the
// objectives, and the tests at all loads are about one sample of such loads. The interval is the
// order statistics' interval for their median, so testing many loads costs no confidence. Under the
// real clock every run has noise of its own, so the risk is divided among all loads that the search
// may try (Bonferroni), which needs more runs at each.
//
// # Calculated and confirmed
//
// With Search.Confirm, runs whose times follow from their plan are calculated by the recursion, and
// the strategy's own code runs at both ends of each answer. Any difference, in any number of the
// result, is an error.
//
// # Shape
//
// A load below one that is met may be missed: goodput>=500 is missed if too little is offered, and
// a strategy may collapse and recover. So the search first tries the whole range evenly, and then
// halves the gap above the highest load that is met, on both sides of undecided loads.
// Answer.MissedBelow contains missed loads below one that is met. Loads between those that were
// tried are unknown.
package capacity
