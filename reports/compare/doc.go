// Package compare compares results: a Table for each metric, a Row for each benchmark, a Cell for
// each input, with median, interval, p-value and change. Two compares two inputs. All accepts any
// number of them and benchstat's projections. WriteText, WriteMarkdown, WriteCSV and WriteJSON
// render a Comparison. WritePage makes an HTML page that begins with the changes.
//
// It is built on golang.org/x/perf. Medians, intervals, p-values and geometric means are
// benchstat's. See All for the exceptions, with examples.
//
// Decompose breaks down the difference between two runs of the same tasks. Task i of a seed is the
// same work under every strategy and before and after a change, so the difference of its two
// responses is the sum of the differences of their parts, to the nanosecond: lag, blocked, queued,
// between and service. The same is true of sums over tasks. A p99 is the response of one task, a
// different one in each run, so a difference of p99s has no parts. The tail replaces it: the tasks
// at or above the p99 of their run on either side, each compared with itself on the other. The
// tail of one side alone would show only the weaknesses of that side.
package compare
