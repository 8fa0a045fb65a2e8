// Package why says why the slowest tasks of a run took so long: a few causes with their shares of
// the p99, what speaks for each, and what would remove it.
//
// It reads what a run directory says of a run, in three steps.
//
//  1. What a response of the tail is made of (tail.go): late before a slot was missing, waiting for
//     a slot, between attempts, in the target, in the task.
//  2. What a task's service is made of (service.go): the target, locks, the garbage collector,
//     processors that the program's own goroutines or other programs had, and work.
//  3. What makes services long makes the wait for a slot long. So that wait is due to the same
//     causes in the same shares; what is left of it is due to the variance of the work
//     (headofline.go) or to too few slots (queueing.go).
//
// A cause is a file, with the evidence that it takes to be named. What lacks its evidence is
// unknown.
package why
