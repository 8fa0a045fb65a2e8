// Package targets contains models of the service that tasks call, with its limits and faults: rate
// limits, bans, small connection pools, slow and failing calls.
//
// A Policy decides on calls from their times alone. Limited turns a Policy into a Target in the
// same process, under the real or virtual clock. Handler serves any Target over HTTP. Targets that
// depend on more than time, such as slots, connections or call numbers, have no Policy.
//
// A call that a target refuses is throttled. Its error is a *Throttled with the reason and, if
// known, the retry time. A call that a target makes fail ends with ErrFault. A strategy's refusal
// is called shed.
//
// To add a target, write a file with one register line.
package targets
