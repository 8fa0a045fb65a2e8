// Package observe computes the metrics of a run from its records, and merges the results of several
// processes.
//
// Measured (observe.go) goes through the records once and reports throughput, waits, shares and
// responses (flow.go, times.go), by class and by stage of the arrivals (labels.go, stages.go), over
// time (course.go, spread.go), and the parts of the response and the slowest tasks (anatomy.go,
// slowest.go). batches.go has means and standard errors of correlated values. MergeResults and the
// other functions of merge.go make one result of several parts.
package observe
