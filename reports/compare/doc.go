// Package compare sets results side by side: a Table for each metric, a Row for each benchmark, a
// Cell for each input, with median, interval, p-value and change. Two compares two inputs; All
// takes any number of them and benchstat's projections. WriteText, WriteMarkdown, WriteCSV and
// WriteJSON render a Comparison; WritePage makes a page of it that begins with what changed.
//
// It is built on golang.org/x/perf. Medians, intervals, p-values and geometric means are
// benchstat's; see All for the exceptions, with examples.
package compare
