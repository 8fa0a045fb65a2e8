// Package record contains the records that a run makes while it measures.
package record
