// Package observe computes the metrics of a run from its records, and merges the results of several
// processes.
//
// A Run has the records. Its methods report throughput, waits, shares and responses (observe.go,
// flow.go, times.go), by class and by stage of the arrivals (labels.go, stages.go), over time
// (course.go, spread.go), and the parts of responses and the slowest tasks (anatomy.go,
// slowest.go). batches.go has means and standard errors of correlated values. MergeResults and the
// other functions of merge.go make one result of several parts. Metrics documents every unit
// (metrics.go).
package observe
