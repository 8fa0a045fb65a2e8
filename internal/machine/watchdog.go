package machine

import (
	"fmt"
	"os"
	"time"
)

const variable = "POOLBENCH_PATIENCE"

const looks = 20

const MinPatience = looks * time.Millisecond

// Patience is 30 s, or the value of POOLBENCH_PATIENCE. A step of a strategy takes microseconds, so
// only a machine a million times slower than usual would cause a false alarm.
func Patience() (time.Duration, error) {
	text := os.Getenv(variable)
	if text == "" {
		return 30 * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < MinPatience {
		return 0, fmt.Errorf("%s: want a duration of %v or more, such as 30s, got %q", variable,
			MinPatience, text)
	}
	return d, nil
}

// WaitForProgress returns true when done is closed, and false when progress has returned the same
// number for the time patience plus longer.
func WaitForProgress(
	done <-chan struct{}, patience time.Duration, progress func() uint64,
	longer func() time.Duration,
) bool {
	step := patience / looks
	tick := time.NewTicker(step)
	defer tick.Stop()
	last, idle := progress(), time.Duration(0)
	for {
		select {
		case <-done:
			return true
		case <-tick.C:
		}
		if now := progress(); now != last {
			last, idle = now, 0
			continue
		}
		if idle += step; idle >= patience && (longer == nil || idle >= patience+longer()) {
			return false
		}
	}
}
