// Package compare compares results: a Table for each metric, a Row for each benchmark, a Cell for
// each input. Two compares two inputs. All accepts any number of them, with benchstat's projections
// and statistics from golang.org/x/perf.
//
// Decompose breaks down the difference between two runs of the same tasks. Task i of a seed is the
// same work in both, so the difference of its responses is the sum of the differences of their
// parts: lag, blocked, queued, between and service. The same is true of sums over tasks, but not of
// a p99, which is the response of a different task in each run. The tail replaces it: the tasks at
// or above the p99 of their run on either side. One side's tail alone would show only the
// weaknesses of that side.
package compare
