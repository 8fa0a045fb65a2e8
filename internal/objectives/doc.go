// Package objectives parses objectives, which are bounds on metrics of a run: p99-response<50ms,
// shed<=1%, goodput>=500. List.Of judges one run. Package decide judges several runs, or a load
// test.
package objectives
