//go:build (!unix && !windows) || aix || solaris

package files

import (
	"errors"
	"os"
)

// TryLock knows no locks here.
func TryLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
