// Package why explains the slowest tasks of a run: a few causes with their shares of the p99, the
// evidence for each, and a remedy.
//
// It reads the results in a run directory, in three steps.
//
//  1. The parts of a tail response (tail.go): late although a slot was free,
//     waiting for a slot, between attempts, in the target, in the task.
//  2. The parts of a task's service (service.go): the target, locks, the garbage
//     collector, waiting for a processor used by goroutines of the program or by
//     other programs, and work.
//  3. The causes of long services also cause the wait for a slot, in the same
//     shares. The remainder is caused by the variance of the work (headofline.go)
//     or by too few slots (queueing.go).
//
// Each cause has a file with its evidence. Time without evidence is reported as unknown.
package why
