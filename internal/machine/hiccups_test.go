package machine

import (
	"runtime"
	"testing"
	"time"
)

func TestWitness(t *testing.T) {
	var seen *WitnessStats
	for seen == nil || seen.Hiccups.Late.TotalCount() == 0 { // End came before its first nap
		w := StartWitness()
		time.Sleep(time.Millisecond)
		seen = w.End(w.begun)
	}
	w := StartWitness()
	<-time.After(time.Millisecond)
	w.stop.Store(true)
	<-w.done
	w.seen.Hiccups.Stalls = append(w.seen.Hiccups.Stalls[:0], Stall{From: int64(3 * time.Second)})
	stalls := w.End(w.begun.Add(time.Second)).Hiccups.Stalls
	if got := time.Duration(stalls[0].From); got != 2*time.Second {
		t.Errorf("a stall at 3 s of the meter is one at %v of a run that began 1 s later", got)
	}
}

// A stall counts once for each nap in it, so the p99 refers to a random instant.
func TestStallCounts(t *testing.T) {
	h := NewHiccups()
	for range 1000 {
		h.Note(Stall{Late: 60_000})
	}
	h.Note(Stall{Late: int64(300 * time.Millisecond)})
	if p99 := time.Duration(h.Late.ValueAtQuantile(99)); p99 < 250*time.Millisecond {
		t.Errorf("p99 with 300 ms of 1300 stalled: %v", p99)
	}
	h = NewHiccups()
	h.Note(Stall{Late: -5})
	if h.Late.Min() < 0 || len(h.Stalls) > 0 {
		t.Errorf("a clock that was set back: %v", h.Stalls)
	}
}

// The CPU time of the meter's thread must be excluded. Unknown values must not become 0.
func TestUsage(t *testing.T) {
	before, meter := Usage{10, 20, 30, 40, 50}, Usage{1, 2, 3, 4, 5}
	if got := (Usage{110, 220, 330, 440, 550}).less(before).less(meter); got != (Usage{99, 198,
		297, 396, 495}) {
		t.Errorf("%+v", got)
	}
	none := Usage{5, 1, 1, -1, -1}
	if got := none.less(none).less(Usage{}); got != (Usage{0, 0, 0, -1, -1}) {
		t.Errorf("%+v of a system that counts no faults", got)
	}
}

// The witness must sample the runtime, too, from StartWitness on.
func TestRuntime(t *testing.T) {
	runtime.GC()
	w := StartWitness()
	runtime.GC()
	seen := w.End(w.begun)
	if looks := int64(seen.Runtime.Heap.Looks); looks < 2 || seen.Runtime.Cycles < 1 ||
		seen.Runtime.Cycles > 2 {
		t.Errorf("%d looks, %v cycles", looks, seen.Runtime.Cycles)
	}
}
