//go:build (!unix && !windows) || aix || solaris

package lock

import (
	"errors"
	"os"
)

// Try knows no locks here.
func Try(*os.File) (held bool, err error) { return false, errors.ErrUnsupported }
