// Package gate decides, for CI, whether new results are worse than old ones. Judge returns a
// verdict for each metric of each benchmark, corrected for their number, and an exit code. Missing
// data never passes: too few samples, a missing benchmark or metric, a truncated file. The Write
// functions also accept reports of internal/gate/measure.
package gate
