package result

// A Profile is a profile of one run, from before its first task until the last was done, in the
// format of `go tool pprof`.
//
// A sample of cpu or goroutine has a label part: harness, strategy or task, and labels strategy and
// class. goroutine contains the stacks of all goroutines, up to 20 times a second, including those
// that wait.
type Profile struct {
	Kind string // cpu, goroutine, mutex, block or heap
	Data []byte
}
