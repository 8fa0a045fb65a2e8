package execute

import (
	"testing"
	"testing/synctest"
	"time"
)

// The repetitions must fit into the time budget at the measured speed, however wrong the estimates
// were.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		spent, estimated, estimate, budget time.Duration
		count, want                        int
	}{
		{time.Second, time.Second, 4 * time.Second, 30 * time.Second, 4, 4},
		// 10 times slower than estimated
		{10 * time.Second, time.Second, 4 * time.Second, 30 * time.Second, 4, 2},
		{29 * time.Second, time.Second, 4 * time.Second, 30 * time.Second, 4, 0},
		{45 * time.Second, time.Second, 4 * time.Second, 30 * time.Second, 5, 0}, // overrun
		{time.Second, time.Second, time.Second, 0, 4, 0},                         // no budget
	} {
		synctest.Test(t, func(t *testing.T) {
			p := runPace{begun: time.Now(), estimated: c.estimated}
			time.Sleep(c.spent)
			if got := p.fits(c.count, c.estimate, c.budget); got != c.want {
				t.Errorf("%+v: %d", c, got)
			}
		})
	}
}
