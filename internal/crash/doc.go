// Package crash repeatedly kills a process that runs tasks through a strategy. It counts the tasks
// that were lost, done once or done twice.
//
// The killed process, Work, writes a line into a pipe when a Submit has returned, when a task
// begins and when it ends. The killer can read these lines after the process is dead. A task whose
// Submit had not returned was not accepted, and is counted separately if it runs.
package crash
