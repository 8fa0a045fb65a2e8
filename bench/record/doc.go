// Package record contains the records that a run makes while it measures, from which
// internal/observe computes the result.
//
// A Log stores a Record of 64 bytes for each task without a lock (log.go), and a Trace is all
// records of a run in the order of their due times (trace.go). Parts are the parts of a response:
// lag, blocked, queued, between and service (parts.go). A CallCounter counts calls to servers:
// bytes, connections, and histograms of their phases (calls.go). Log and CallCounter can be sent
// between processes (encoding.go). encode.go encodes histograms.
package record
