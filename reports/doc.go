// Package reports reads benchmark results, compares them, and judges them.
//
// The files are its only joint with what measures: the results of a run of poolbench, the output of go test -bench, and
// a file that CI kept from last year are the same input. It is built on golang.org/x/perf, whose statistics it shares
// with benchstat. In the order of a comparison:
//
//  1. Read, ReadFile and ReadDir give Results: a Run for each benchmark line, its name taken apart into keys, its
//     values in base units (sec, B). What would quietly lose samples elsewhere is an error here, or a warning that
//     travels with the Results.
//  2. Compare puts the runs of two Results into tables: a Table for each metric, a Row for each benchmark, a Cell for
//     each input, with median, interval, p-value and change; CompareAll takes any number of inputs and benchstat's
//     projections. WriteText, WriteMarkdown, WriteCSV and WriteJSON render it. Centres, intervals, p-values and geometric
//     means are benchstat's; see CompareAll for the exceptions, with examples.
//  3. Gate goes further and decides, for CI, whether the new results are worse: a Verdict for each metric of each
//     benchmark, corrected for their number, and an exit code. No verdict comes of nothing: too few samples, a missing
//     benchmark, a metric that got lost or a file that is cut off never pass. WriteGateText, WriteGateMarkdown and
//     WriteGateJSON render it.
//
// FindTrend looks at a series of results in the order of time, and says since when a metric has been another: an alert, no
// verdict. A report with charts of one run is made from the same Results (WriteReport). Where studies speak in the file (Finding), it begins with
// their verdicts and has a section for each, with the runs that were made for it.
//
// Statistics that neither the standard library nor x/perf has, or that x/perf has wrong, are here, each in a file:
// utest.go (the exact rank test with ties), shift.go (the Hodges–Lehmann estimate and its interval). What is
// decided on pairs, Holm's adjustment and the verdicts themselves are internal/judge's, which the gate that measures shares.
package reports
