package targets_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/targets"
)

func fixedRule(limit int, window time.Duration) rule {
	return func(admitted []time.Duration, now time.Duration) bool {
		n := 0
		for _, at := range admitted {
			if at/window == now/window {
				n++
			}
		}
		return n < limit
	}
}

func newFixedWindow(t testing.TB, limit int, window time.Duration) *targets.FixedWindow {
	t.Helper()
	w, err := targets.NewFixedWindow(limit, window)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestFixedWindowEqualsTheRule(t *testing.T) {
	for i, c := range windowed {
		admitted := checkRule(t, newFixedWindow(t, c.limit, c.window), fixedRule(c.limit, c.window),
			windowTrace(uint64(i), c.limit, c.window, 1000))
		if n := maxInWindow(admitted, c.window); n > 2*c.limit {
			t.Errorf("%d admitted in %v, more than twice %d", n, c.window, c.limit)
		}
	}
}

// At a boundary, a fixed window admits twice the limit within a nanosecond, unlike a sliding
// window.
func TestFixedWindowHasADoubleBurst(t *testing.T) {
	fixed, err := targets.NewFixedWindow(100, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	sliding, err := targets.NewSlidingWindow(100, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		policy targets.Policy
		want   int
	}{"fixed": {fixed, 200}, "sliding": {sliding, 100}} {
		n := 0
		for _, at := range []time.Duration{time.Second - 1, time.Second} {
			for range 150 {
				if admitAndCheck(t, c.policy, at).Admitted {
					n++
				}
			}
		}
		if n != c.want {
			t.Errorf("%s window: %d of 300 calls admitted within a nanosecond, want %d", name, n,
				c.want)
		}
	}
}

func FuzzFixedWindow(f *testing.F) {
	f.Add(uint16(10), uint64(time.Second), uint64(1), uint64(0))
	f.Add(uint16(1), uint64(1), uint64(2), uint64(1<<60))
	f.Fuzz(func(t *testing.T, limit uint16, window, seed, start uint64) {
		n, w := 1+int(limit%50), time.Duration(1+window%(1<<50))
		gaps := append([]int64{int64(start % (1 << 61))}, windowTrace(seed, n, w, 150)...)
		checkRule(t, newFixedWindow(t, n, w), fixedRule(n, w), gaps)
	})
}
