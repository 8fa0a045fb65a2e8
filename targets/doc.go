// Package targets has models of the service that tasks call, and of its limits: rate limits, bans,
// small pools of connections, faults.
//
// A target has three layers. A Policy is the decision, a pure function of time that is tested
// against an oracle in exact arithmetic. Limited puts a Policy in front of work in the same
// process, under the real or the virtual clock. Handler puts any Target behind HTTP, and NewServer
// serves it. A target that decides by more than time (slots, connections, the number of a call) has
// no Policy.
//
// A call that a target refuses is throttled: its error is a *Throttled, with the reason and, if
// known, when to retry. (A task that a strategy refuses is shed.) A call that a target makes fail
// ends with ErrFault.
//
// A target counts its calls (Counted), and one with a limit reports its remaining quota (Metered).
// A Tenanted target gets the tenant of each call.
//
// To add a target, write a file with one register line: it is then in All, the tests, `poolbench
// list` and docs.
package targets
