//go:build (!unix && !windows) || aix || solaris

package files

import (
	"errors"
	"os"
)

func TryLock(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
