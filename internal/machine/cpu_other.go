//go:build !unix

package machine

// CPUTime returns 0, because it is unknown on this system.
func CPUTime() int64 { return 0 }

func processUsage() Usage { return Usage{} }
