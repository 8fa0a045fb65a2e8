// Package crash kills a process that works through a strategy, again and again, and counts what
// became of each task: lost, done once, done twice.
//
// The killer keeps the ledger. The killed process, Work, writes a line into a pipe when a Submit
// has returned, when a task begins and when it has ended. Lines in the pipe are read even after the
// process is dead. A task whose Submit had not returned by then was not promised, and is counted
// apart if it runs.
package crash
