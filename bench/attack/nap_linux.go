package attack

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps by the kernel's own timer, which is late by some 50 µs where a sleep of the runtime is by a millisecond. It holds up a thread, so
// it is for short times.
func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &t, nil) // cut short by a signal: the caller looks at the clock
}
