//go:build unix

package bench

import "golang.org/x/sys/unix"

// cpuTime is the user and system time of the process in nanoseconds, 0 where it cannot be read.
func cpuTime() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
