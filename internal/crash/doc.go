// Package crash kills a process that works through a strategy, again and again, and counts what
// became of each task: lost, done once, done twice.
//
// The one who kills keeps the ledger. The process that is killed, Work, writes a line into a pipe
// when a Submit has returned, when a task begins and when it has ended: what is in the pipe when it
// is killed is read all the same. A task whose Submit had not returned then is nobody's promise,
// and is counted apart where it runs.
package crash
