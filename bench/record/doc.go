// Package record contains the records that a run makes while it measures. internal/observe computes
// the result from them.
//
// A Log stores a Record of 64 bytes for each task without a lock. A Trace has all records of a run
// in order of due times. Parts are the parts of a response: lag, blocked, queued, between and
// service. A CallCounter counts bytes and connections of calls to servers, with histograms of their
// phases. Log and CallCounter can be sent between processes.
package record
