package result

// A Profile is what Go's runtime knows of where a run spent its time, in the format of `go tool
// pprof`: of the run alone, from before its first task until the last was done.
//
// A sample of cpu or goroutine says in its label part whose it is: harness, strategy or task; and
// in the labels strategy and class of which. goroutine is not what is there at the end but the
// stacks of all goroutines, up to 20 times a second: what they wait for, too.
type Profile struct {
	Kind string // cpu, goroutine, mutex, block or heap
	Data []byte
}
