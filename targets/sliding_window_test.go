package targets_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

func slidingRule(limit int, window time.Duration) rule {
	return func(admitted []time.Duration, now time.Duration) bool {
		n := 0
		for _, at := range admitted {
			if now-at < window {
				n++
			}
		}
		return n < limit
	}
}

func newSlidingWindow(t testing.TB, limit int, window time.Duration) *targets.SlidingWindow {
	t.Helper()
	w, err := targets.NewSlidingWindow(limit, window)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestSlidingWindowEqualsTheRule(t *testing.T) {
	for i, c := range windowed {
		admitted := checkRule(t, newSlidingWindow(t, c.limit, c.window), slidingRule(c.limit, c.window),
			windowTrace(uint64(i), c.limit, c.window, 1000))
		if n := maxInWindow(admitted, c.window); n != c.limit {
			// the traces are dense enough to fill a window
			t.Errorf("%d admitted in some %v, want %d", n, c.window, c.limit)
		}
	}
}

func TestSlidingWindowRemembersNoMoreThanItsLimit(t *testing.T) {
	w := newSlidingWindow(t, 100, time.Second)
	var now time.Duration
	for range 100 {
		now += 10 * time.Millisecond
		w.Admit(now)
	}
	if n := testing.AllocsPerRun(1000, func() {
		now += 10 * time.Millisecond
		if !w.Admit(now).Admitted {
			t.Fatalf("refused at %v", now)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a call", n)
	}
}

func FuzzSlidingWindow(f *testing.F) {
	f.Add(uint16(10), uint64(time.Second), uint64(1), uint64(0))
	f.Add(uint16(1), uint64(1), uint64(2), uint64(1<<60))
	f.Fuzz(func(t *testing.T, limit uint16, window, seed, start uint64) {
		n, w := 1+int(limit%50), time.Duration(1+window%(1<<50))
		gaps := append([]int64{int64(start % (1 << 61))}, windowTrace(seed, n, w, 150)...)
		checkRule(t, newSlidingWindow(t, n, w), slidingRule(n, w), gaps)
	})
}

func BenchmarkSlidingWindowAdmit(b *testing.B) {
	w := newSlidingWindow(b, 1000, time.Second)
	b.ReportAllocs()
	var now time.Duration
	for b.Loop() {
		now += time.Millisecond
		w.Admit(now)
	}
}
