//go:build !linux

package attack

import "time"

// nap has nothing better here than the runtime's sleep.
func nap(d time.Duration) { time.Sleep(d) }
