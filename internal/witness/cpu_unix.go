//go:build unix

package witness

import "golang.org/x/sys/unix"

// CPUTime is the user and system time of the process in nanoseconds, 0 where it cannot be read.
func CPUTime() int64 { return cpuTime(unix.RUSAGE_SELF) }

func cpuTime(who int) int64 {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
