// Package why explains the slowest tasks of a run: a few causes with their shares of the p99, their
// evidence, and a remedy. Each cause has a file.
//
// tail.go splits the tail response, and service.go the service of a task. The causes of long
// services also cause the wait for a slot, in the same shares. The rest of that wait is due to
// uneven work or too few slots. Time without evidence is reported as unknown.
package why
