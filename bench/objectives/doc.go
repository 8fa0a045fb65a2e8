// Package objectives says what a run is held to: p99-response<50ms, shed<=1%, goodput>=500.
//
//	l, err := objectives.Parse("p99-response<50ms,shed<=1%")
//	if err != nil { … }              // one line, with the metrics that there are
//	l.Of(result)                     // one run: Met, Missed or Undecided
//	objectives.Judge(l[0], repetitions) // the repetitions of a scenario, by their median
//
// Undecided is a third answer and not a way to pass: a quantile that the tasks of a run cannot
// resolve is not met, and neither is anything in a run that breaks a law.
package objectives
