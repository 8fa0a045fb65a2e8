package bench

import (
	"slices"
	"testing"
	"time"
)

// quiet is a meter that saw n naps in order, and then these stalls.
func quiet(n int, stalls ...stall) *meter {
	m := startMeter()
	m.end(m.base)
	m.late.Reset()
	m.stalls = m.stalls[:0]
	for range n {
		m.note(stall{late: 60_000, cpu: 10_000})
	}
	for _, s := range stalls {
		m.note(s)
	}
	return m
}

// TestMeter: the meter naps until it is told to end, and counts from the start of the run.
func TestMeter(t *testing.T) {
	m := startMeter()
	for m.end(m.base); m.late.TotalCount() == 0; m.end(m.base) { // it was told before its first nap
		m = startMeter()
		time.Sleep(time.Millisecond)
	}
	m.stalls = append(m.stalls[:0], stall{from: int64(3 * time.Second)})
	m.end(m.base.Add(time.Second))
	if got := time.Duration(m.stalls[0].from); got != 2*time.Second {
		t.Errorf("a stall at 3 s of the meter is one at %v of a run that began 1 s later", got)
	}
}

// TestStallCounts: a stall counts once for every nap that it swallowed, so that the p99 is that of an instant and not that of a nap.
func TestStallCounts(t *testing.T) {
	m := quiet(1000, stall{late: int64(300 * time.Millisecond)})
	if p99, ok := m.quantile(0.99); !ok || p99 < int64(250*time.Millisecond) {
		t.Errorf("p99 with 300 ms of 1300 stalled: %v", time.Duration(p99))
	}
	if _, ok := quiet(100).quantile(0.99); ok {
		t.Error("the p99 of 100 naps")
	}
	if m := quiet(10, stall{late: -5}); m.late.Min() < 0 || len(m.stalls) > 0 {
		t.Errorf("a clock that was set back: %v", m.stalls)
	}
}

// TestMachine: each disturbance of the machine is told by its name, and a quiet machine by none.
func TestMachine(t *testing.T) {
	const second = int64(time.Second)
	for _, c := range []struct {
		name     string
		meter    *meter
		pressure pressure
		verdict  Verdict
		check    string
		words    []string
	}{
		{"quiet", quiet(5000), pressure{0, 0.01, 0, 0.02}, Valid, "", nil},
		{"one small stall", quiet(50_000, stall{second, 57 * ms, ms, 0}), unknownPressure, Valid, "", nil},
		{"stopped", quiet(5000, stall{second, 300 * ms, ms, 0}), pressure{0, 0.01, 0, 0.02}, Invalid, checkPause, []string{"from 1s on", "stood still for 300ms:", "tasks were due"}},
		{"stopped twice", quiet(5000, stall{second, 300 * ms, ms, 0}, stall{3 * second, 200 * ms, ms, 0}), unknownPressure, Invalid, checkPause, []string{"stood still for 300ms (the longest of 2 times)"}},
		{"in the queue", quiet(50_000, stall{second, 300 * ms, ms, 290 * ms}), unknownPressure, Suspect, checkMachine, []string{"others had the processors"}},
		{"crumbs of a processor", quiet(50_000, stall{second, 300 * ms, 20 * ms, 0}), unknownPressure, Suspect, checkMachine, []string{"and this process 20ms of CPU"}},
		{"its own tasks", quiet(50_000, stall{second, 300 * ms, 500 * ms, 0}), unknownPressure, Suspect, checkStalls, []string{"its own tasks kept the processors"}},
		{"stalls all the time", quiet(1000, slices.Repeat([]stall{{second, 30 * ms, 0, 0}}, 20)...), unknownPressure, Suspect, checkStalls, []string{"one instant in a hundred"}},
		{"steal", quiet(5000), pressure{0.2, 0, 0, 0}, Suspect, checkMachine, []string{"20 %", "steal"}},
		{"hogged", quiet(5000), pressure{0, 0.5, 0.4, 0.3}, Suspect, checkMachine, []string{"30 % of the time", "some thread did for 50 %"}},
		{"its own threads wait for one another", quiet(5000), pressure{0, 0.5, 0.01, 0.3}, Valid, "", nil},
		{"others wait", quiet(5000), pressure{-1, 0.5, -1, 0.01}, Suspect, checkMachine, []string{"some thread on this machine", "50 %"}},
	} {
		o := queue(Real, 1, 20_000, 0.5, 1)
		o.witness = &Witness{meter: c.meter, pressure: c.pressure}
		r := judged(t, o)
		if c.verdict == Valid {
			holds(t, c.name, r)
		} else {
			finds(t, c.name, r, c.verdict, c.check, c.words...)
		}
		if v, ok := r.Metric("max-hiccup-sec"); !ok || v <= 0 {
			t.Errorf("%s: max-hiccup-sec is %v", c.name, v)
		}
		if _, ok := r.Metric("cpu-steal"); ok != (c.pressure.steal >= 0) {
			t.Errorf("%s: cpu-steal is there: %v", c.name, ok)
		}
	}
}
