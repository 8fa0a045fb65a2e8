//go:build (!unix && !windows) || aix || solaris

package files

import (
	"errors"
	"os"
)

// TryLock always fails, because this system has no locks.
func TryLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
