// Package why explains the slowest tasks of a run in a directory: a few causes with their shares of
// the p99, their evidence, and a remedy. Each cause has a file.
//
// The tail response has parts (tail.go), and so has the service of a task (service.go). The causes
// of long services also cause the wait for a slot, in the same shares. The rest of that wait is due
// to uneven work (headofline.go) or too few slots (queueing.go). Time without evidence is reported
// as unknown.
package why
