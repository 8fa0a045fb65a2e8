//go:build unix && !aix && !solaris

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Closing the file unlocks it.
func TryLock(f *os.File) (held bool, err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
