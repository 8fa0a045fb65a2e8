//go:build !linux

package pace

import "time"

func newTimer(base time.Time) timer { return newRuntimeTimer(base) }

func Method() string { return runtimeMethod }
