// Package objectives parses objectives, which are bounds on metrics of a run: p99-response<50ms,
// shed<=1%, goodput>=500.
//
//	l, err := objectives.Parse("p99-response<50ms,shed<=1%")
//	if err != nil { … } // one line, with the known metrics
//	l.Of(result)        // one run: Met, Missed or Undecided
//
// List.Of judges one run. Package decide judges several runs, or a load test.
package objectives
