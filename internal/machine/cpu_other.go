//go:build !unix

package machine

// CPUTime is not known here.
func CPUTime() int64 { return 0 }

func processUsage() Usage { return Usage{} }
