// Package observe computes the metrics of a run from its records, and merges the results of several
// processes.
package observe
