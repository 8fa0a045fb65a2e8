// Package machine tells what a run needs to know of the machine and of the Go runtime: pauses,
// stolen and used CPU time, memory and descriptors, goroutines, stacks, profiles and flight
// recordings. It calibrates work without neighbours and watches for progress.
package machine
