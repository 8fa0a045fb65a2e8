// Package crash repeatedly kills a process that runs tasks through a strategy, and counts the tasks
// that were lost, done once or done twice.
//
// The killer keeps the ledger. The killed process, Work, writes a line into a pipe when a Submit
// has returned, when a task begins and when it has ended. Lines in the pipe are read even after the
// process is dead. A task whose Submit had not returned was not promised, and is counted separately
// if it runs.
package crash
