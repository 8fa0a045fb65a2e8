package bench

import (
	"testing"
	"time"
)

// TestPressure: shares are differences of what the kernel counts; what it does not tell is not known.
func TestPressure(t *testing.T) {
	base := time.Now()
	before := counters{at: base, stolen: 10, ticks: 1000, stalled: 500, threads: map[string]threadTime{"a": {100, 50}, "gone": {7, 7}}}
	after := counters{at: base.Add(time.Second), stolen: 30, ticks: 1200, stalled: 250_500, threads: map[string]threadTime{"a": {400, 150}, "new": {300, 300}}}
	if got, want := after.since(before), (pressure{0.1, 0.25, 0.4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	none := counters{at: base, stolen: -1, ticks: -1, stalled: -1}
	if got := none.since(none); got != unknownPressure {
		t.Errorf("without counters: %+v", got)
	}
}
