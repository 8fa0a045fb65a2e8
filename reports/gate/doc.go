// Package gate decides, for CI, whether new results are worse than old ones. Judge returns a
// verdict for each metric of each benchmark, corrected for their number, and an exit code. Missing
// data never passes: too few samples, a missing benchmark or metric, a truncated file. WriteText,
// WriteMarkdown, WriteJSON, WriteJUnit and WritePage write a verdict.Report of Judge or of
// internal/gate/measure.
//
// Both kinds of gate decide by package internal/gate/judge.
package gate
