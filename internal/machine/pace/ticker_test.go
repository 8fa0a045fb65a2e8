package pace_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// No tick may be early. Missed ticks are dropped.
func TestTicker(t *testing.T) {
	const interval = 5 * time.Millisecond
	begun := time.Now()
	tick := pace.NewTicker(interval)
	defer tick.Stop()
	for i := range 3 {
		<-tick.C
		if at, due := time.Since(begun), time.Duration(i+1)*interval; at < due {
			t.Errorf("tick %d came after %v, before %v", i, at, due)
		}
	}
	time.Sleep(10 * interval)
	begun = time.Now()
	for range 3 { // one missed tick and two punctual ones
		<-tick.C
	}
	if took := time.Since(begun); took < interval {
		t.Errorf("after a pause three ticks came within %v", took)
	}
}
