// Package targets has what the tasks call, and what pushes back: limits on rate, bans, small pools
// of connections, faults.
//
// A target is built in three layers, so that each can be tried alone. A Policy is the decision, a
// pure function of time that is tested against an oracle in exact arithmetic. Limited puts a Policy
// in front of work in the same process, under the real or the virtual clock. Handler puts any
// Target behind HTTP, for clients that are not ours, and NewServer is the server for it. A target
// whose decision is not one of time alone (slots, connections, the number of a call) has no
// Policy.
//
// What a target refuses is throttled, and a *Throttled says why and, where that can be known, when
// to come again; what a strategy refuses is shed, and no business of this package. What a target
// makes fail ends with ErrFault.
//
// A target counts its calls (Counted), and one with a limit can say what is left of it (Metered).
// One that is Tenanted hears whose task a call is.
//
// To add a target, write a file with one register line; All, the tests, `poolbench list` and the
// README's table find it there.
//
// # Size
//
// Each target has a file of its own. Five policies are exported beside them, since they are useful
// without a target: a server can ask one whether to let a call pass, and a test holds each against
// an oracle.
package targets
