//go:build !linux

package pace

import "time"

func newTimer(base time.Time) timer { return newRuntimeTimer(base) }

// Method names the way in which this process waits.
func Method() string { return runtimeMethod }
