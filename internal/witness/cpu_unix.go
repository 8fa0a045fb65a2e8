//go:build unix

package witness

import "golang.org/x/sys/unix"

// CPUTime is the user and system time of the process in nanoseconds, 0 where it cannot be read.
func CPUTime() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
