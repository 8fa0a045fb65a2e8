package machine

import (
	"fmt"
	"os"
	"time"
)

// variable is the environment variable that says how patient the dog is.
const variable = "POOLBENCH_PATIENCE"

// looks is how often the dog looks within its patience.
const looks = 20

// LeastPatience is the shortest patience: the dog looks at most once a millisecond.
const LeastPatience = looks * time.Millisecond

// Patience is how long nothing may happen: 30 s, or what POOLBENCH_PATIENCE says. From one step of
// a strategy to the next it is microseconds, so that a machine would have to be a million times
// slower than usual to be taken for a hang.
func Patience() (time.Duration, error) {
	text := os.Getenv(variable)
	if text == "" {
		return 30 * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < LeastPatience {
		return 0, fmt.Errorf("%s: want a duration of %v or more, such as 30s, got %q", variable,
			LeastPatience, text)
	}
	return d, nil
}

// WaitForProgress returns true when done is closed, and false when progress has returned the same
// number for as long as patience. Then it asks how much longer that may have a good reason; nil is
// no longer.
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
