// Package record has the records of tasks and of calls to servers that a run makes while it
// measures, and their histograms.
package record
