// Package observe computes the metrics of a run from its records, and merges the results of several
// processes.
//
// A Run contains the records. Its methods report throughput, waits, shares and responses
// (observe.go, flow.go, times.go), also by class and by stage of the arrivals (labels.go,
// stages.go) and over time (course.go, spread.go). They also report the parts of responses and the
// slowest tasks (anatomy.go, slowest.go). batches.go computes means and standard errors of
// correlated values. MergeResults (merge.go) combines the results of several parts. Metrics
// documents every unit (metrics.go).
package observe
