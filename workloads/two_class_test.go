package workloads_test

import (
	"math"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/workloads"
)

// Each class does half of the work, and C² = (r−1)²/4r.
func TestClassesShareTheWork(t *testing.T) {
	for r, s := range map[float64]string{1: "two_class:r=1", 2: "two_class:r=2", 9: "two_class:r=9",
		50: "two_class", 999: "two_class:r=999"} {
		w := build(t, s, 1)
		if want := (r - 1) * (r - 1) / (4 * r); math.Abs(w.C2()-want) > 1e-6*want ||
			w.Mean() != 10*time.Millisecond {
			t.Errorf("%s: mean %v and C² %v, want 10ms and %v", s, w.Mean(), w.C2(), want)
		}
	}
	// 1/4 of the tasks take 20 ms, 3/4 take 20/3 ms
	w := build(t, "two_class:r=3", 1)
	const n = 100_000
	long, work := 0, map[bool]time.Duration{}
	for seq := range uint64(n) {
		class := w.(workloads.Classed).Long(seq)
		work[class] += w.(workloads.Timed).Time(seq)
		if class {
			long++
		}
	}
	if math.Abs(float64(long)-n/4) > 5*math.Sqrt(n*3./16) {
		t.Errorf("%d of %d tasks are long, want a quarter", long, n)
	}
	if short := n - long; work[true] != time.Duration(long)*20*time.Millisecond ||
		work[false] != time.Duration(short)*6666667 {
		t.Errorf("%d long tasks are %v of work and %d short ones %v", long, work[true],
			short, work[false])
	}
}

// Half of the tasks are labelled long.
func TestEqualClassesAreClasses(t *testing.T) {
	w := build(t, "two_class:r=1", 1)
	const n = 10_000
	long := 0
	for seq := range uint64(n) {
		if w.(workloads.Classed).Long(seq) {
			long++
		}
	}
	if math.Abs(float64(long)-n/2) > 5*math.Sqrt(n)/2 {
		t.Errorf("%d of %d tasks are long, want half", long, n)
	}
}

func TestClassesDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("sync.Pool drops items under the race detector")
	}
	w := build(t, "two_class", 1).(workloads.Classed)
	if n := testing.AllocsPerRun(1000, func() { w.Long(3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
