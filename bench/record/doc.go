// Package record contains the records that a run makes while it measures. internal/observe computes
// the result from them. Log and CallCounter can be sent between processes.
package record
