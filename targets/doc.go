// Package targets contains models of the service that tasks call: rate limits, bans, small
// connection pools, slow and failing calls.
//
// A Policy decides on calls from their times alone, and Limited turns it into a Target. Handler
// serves any Target over HTTP. A call that a target refuses is throttled: its error is a *Throttled
// with the reason and, if known, the retry time. If a strategy refuses a task, the task is shed.
package targets
