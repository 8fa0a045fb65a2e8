package workloads

import "time"

// timeMoments are the mean and C² of a task alone. C² is 0 if all tasks are equal.
type timeMoments struct {
	mean time.Duration
	c2   float64
}

func (t *timeMoments) Mean() time.Duration { return t.mean }

func (t *timeMoments) C2() float64 { return t.c2 }

// plus adds a constant time.
func (t timeMoments) plus(constant time.Duration) timeMoments {
	whole := t.mean + constant
	share := float64(t.mean) / float64(whole)
	return timeMoments{whole, t.c2 * (share * share)}
}

func (t *timeMoments) setMean(mean time.Duration) { t.mean = mean }
