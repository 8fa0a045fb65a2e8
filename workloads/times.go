package workloads

import "time"

// times are the mean and C² of a task alone. C² is 0 if all tasks are equal.
type times struct {
	mean time.Duration
	c2   float64
}

func (t *times) Mean() time.Duration { return t.mean }

func (t *times) C2() float64 { return t.c2 }

// plus adds a constant time.
func (t times) plus(constant time.Duration) times {
	whole := t.mean + constant
	share := float64(t.mean) / float64(whole)
	return times{whole, t.c2 * (share * share)}
}

func (t *times) setMean(mean time.Duration) { t.mean = mean }
