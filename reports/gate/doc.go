// Package gate decides, for CI, whether new results are worse than old ones: Judge has a verdict
// for each metric of each benchmark, corrected for their number, and an exit code. Missing data
// never passes: too few samples, a missing benchmark or metric, a file that is cut off. WriteText,
// WriteMarkdown, WriteJSON, WriteJUnit and WritePage render a verdict.Report, also one of
// internal/gate/measure.
//
// Package internal/gate/judge chooses the metrics and judges them, for both kinds of gate.
package gate
