// Package gate decides, for CI, whether new results are worse than old ones: Judge has a verdict
// for each metric of each benchmark, corrected for their number, and an exit code. No verdict comes
// of nothing: too few samples, a missing benchmark, a metric that got lost or a file that is cut
// off never pass. WriteText, WriteMarkdown, WriteJSON, WriteJUnit and WritePage render a
// verdict.Report, also that of a gate that measured by itself.
//
// Which metrics are judged, and how, is in internal/gate/judge, for both kinds of gate.
package gate
