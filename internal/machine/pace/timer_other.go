//go:build !linux

package pace

import "time"

func newTimer(base time.Time) timer { return newRuntimeTimer(base) }

// Method returns the name of this process's timer.
func Method() string { return runtimeMethod }
