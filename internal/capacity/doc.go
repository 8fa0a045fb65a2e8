// Package capacity finds the highest load that meets objectives, or the smallest limit or the
// longest queue, as an interval with a confidence.
//
//	s := capacity.Search{Scenarios: scenarios, Objectives: list, Lo: 0.1, Hi: 1.2}
//	answers, err := s.Do(ctx, bench.Run, func(sc bench.Scenario, r *bench.Result, err error) error { … })
//
// # When a load is met
//
// Under the virtual clock the answer is about the long run, if there is one (longrun.go). A load is
// met or missed if the exact value of theory, or the interval of the metric, lies on one side of
// the bound (package decide). The interval comes from the recursion of Kiefer and Wolfowitz over a
// long plan if the strategy's own runs equal the recursion to the digit, otherwise from the tasks
// of all runs together. Runs start with idle slots, and near saturation their queue grows
// throughout. So runs that are too short for a load never decide that it is met.
//
// Otherwise a load is met if more than half of the runs over all seeds would meet the objectives. A
// sign test over the repetitions decides (sign.go), which assumes no distribution.
//
// # Confidence of the whole
//
// Each of many tried loads could be judged wrongly. Repetition i has the same seed at every load
// and for every strategy (common random numbers). Under the virtual clock there is no other
// difference, so each seed has a load up to which it meets the objectives. The tests at all loads
// use one sample of such loads, and the interval is the order statistics' interval for their
// median, so testing many loads costs no confidence. Under the real clock every run has its own
// noise, so the risk is divided among all loads that the search may try (Bonferroni).
//
// # Shape
//
// A load below one that is met may be missed: goodput>=500 is missed if too little is offered, and
// a strategy may collapse and recover. So the search first tries the whole range evenly.
package capacity
