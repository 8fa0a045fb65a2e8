//go:build unix

package machine

import "golang.org/x/sys/unix"

// CPUTime is in nanoseconds, or 0 if unknown.
func CPUTime() int64 { return processUsage().CPU }

func processUsage() Usage { return usageOf(unix.RUSAGE_SELF) }

func usageOf(who int) Usage {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return Usage{}
	}
	if u.Minflt == 0 && who == unix.RUSAGE_SELF {
		u.Minflt, u.Majflt = -1, -1
	}
	return Usage{u.Utime.Nano() + u.Stime.Nano(), int64(u.Nvcsw), int64(u.Nivcsw),
		int64(u.Minflt), int64(u.Majflt)}
}
