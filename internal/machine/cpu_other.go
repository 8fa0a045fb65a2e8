//go:build !unix

package machine

func CPUTime() int64 { return 0 }

func processUsage() Usage { return Usage{} }
