//go:build unix

package machine

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Unknown numbers are 0.
func Descriptors() (limit, free int) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil || l.Cur > math.MaxInt32 {
		return 0, 0
	}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		open = nil
	}
	return int(l.Cur), int(l.Cur) - len(open)
}
