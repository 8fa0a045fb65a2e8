// Package targets has models of the service that tasks call, and of its limits: rate limits, bans,
// small connection pools, faults.
//
// A target has three layers. A Policy is the decision, a pure function of time, tested against an
// oracle in exact arithmetic. Limited puts a Policy in front of work in the same process, under the
// real or virtual clock. Handler puts any Target behind HTTP, and NewServer serves it. A target
// that decides by more than time (slots, connections, call numbers) has no Policy.
//
// A call refused by a target is throttled: its error is a *Throttled, with the reason and, if
// known, the retry time. (A task refused by a strategy is shed.) A call that a target makes fail
// ends with ErrFault.
//
// A target counts its calls (Counted), and one with a limit reports its remaining quota (Metered).
// A Tenanted target receives the tenant of each call.
//
// To add a target, write a file with one register line. It is then in All, the tests, `poolbench
// list` and docs.
package targets
