package result

// A Profile is a profile of one run, in the format of `go tool pprof`. A sample of cpu or goroutine
// has the labels part (harness, strategy or task), strategy and class.
type Profile struct {
	Kind string // cpu, goroutine, mutex, block or heap
	Data []byte
}
