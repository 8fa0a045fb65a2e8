package files

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Closing the file unlocks it. The locked byte is far beyond the end, because other processes
// cannot read locked bytes on Windows.
func TryLock(f *os.File) (held bool, err error) {
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
