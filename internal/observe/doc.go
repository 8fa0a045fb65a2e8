// Package observe computes the metrics of a run from its records, and merges the results of several
// processes. Metrics documents every unit.
package observe
