// Package observe computes the metrics of a run from its records, and merges the results of several
// processes. A Run contains the records. Its methods report throughput, waits, shares and
// responses, also by class, by stage and over time. Metrics documents every unit.
package observe
