package machine

import (
	"testing"
	"time"
)

func TestPressure(t *testing.T) {
	base := time.Now()
	before := counters{at: base, stolen: 10, ticks: 1000, busy: 300, own: 7e8, stalled: 500,
		threads: map[string]threadTime{"a": {100, 50}, "gone": {7, 7}}}
	after := counters{at: base.Add(time.Second), stolen: 30, ticks: 1200, busy: 450, own: 12e8,
		stalled: 250_500, threads: map[string]threadTime{"a": {400, 150}, "new": {300, 300}}}
	if got, want := after.since(before), (Pressure{0.1, 0.25, 0.5, 0.4, 4e-7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// too short for Others, because ticks are coarse
	soon := counters{at: base.Add(time.Second), stolen: 10, ticks: 1049, busy: 349,
		own: 7e8 + 1, stalled: 500}
	if got := soon.since(before).Others; got >= 0 {
		t.Errorf("49 ticks tell of %v", got)
	}
	none := counters{at: base, stolen: -1, ticks: -1, stalled: -1}
	if got := none.since(none); got != UnknownPressure {
		t.Errorf("without counters: %+v", got)
	}
}
