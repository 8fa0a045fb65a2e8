package charts

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want string
	}{
		{0, "0 s"}, {1, "1 s"}, {0.0015, "1.5 ms"}, {0.01, "10 ms"}, {250e-6, "250 µs"},
		{1e-9, "1 ns"}, {0.06893, "68.93 ms"},
		{0.9999, "999.9 ms"}, {0.99999, "1 s"}, {123.456, "123.5 s"}, {12346, "12350 s"},
		{1e5, "27.78 h"}, {1033366, "11.96 d"}, {2.5e-10, "0.25 ns"}, {-0.002, "-2 ms"},
	} {
		if got := Seconds(c.in); got != c.want {
			t.Errorf("Seconds(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want string
	}{
		{0, "0"}, {0.8, "0.8"}, {0.95, "0.95"}, {999.9, "999.9"}, {999.99, "1k"}, {1250, "1.25k"},
		{3e6, "3M"}, {2e9, "2G"}, {-12, "-12"}, {1e-9, "1e-09"},
	} {
		if got := Count(c.in); got != c.want {
			t.Errorf("Count(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-14, 12).Draw(t, "exponent"))
		hi := lo * math.Pow(10, rapid.Float64Range(0, 2.9).Draw(t, "decades"))
		lo, hi = logRange(lo, hi)
		ticks := logTicks(Seconds).Ticks(lo, hi)
		if len(ticks) < 2 || len(ticks) > 11 {
			t.Fatalf("%d ticks from %v to %v: %v", len(ticks), lo, hi, ticks)
		}
		for i := 1; i < len(ticks); i++ {
			if ticks[i].Value <= ticks[i-1].Value || ticks[i].Label == ticks[i-1].Label {
				t.Fatalf("ticks do not rise: %v", ticks)
			}
		}
	})
}

func TestRangesContainTheirData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "a"))
		b := math.Pow(10, rapid.Float64Range(-15, 15).Draw(t, "b"))
		lo, hi := logRange(min(a, b), max(a, b))
		if !(lo > 0 && lo <= min(a, b)*(1+1e-9) && hi >= max(a, b)*(1-1e-9) && lo < hi) {
			t.Fatalf("logRange(%v, %v) = %v, %v", min(a, b), max(a, b), lo, hi)
		}
		lo, hi = linearRange(a, b)
		if !(lo <= min(a, b, 0)+1e-9*b && hi >= b*(1-1e-9) && lo < hi) {
			t.Fatalf("linearRange(%v, %v) = %v, %v", a, b, lo, hi)
		}
	})
}

// The loop must end even if the range is below the resolution of a float64.
func TestLinearMarksEnd(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{1e15 - 0.125, 1e15}, {-1e15, 1e15},
		{0, 1e-300}, {1, 1}} {
		if n := len(linearMarks(c.lo, c.hi, 5)); n > 13 {
			t.Errorf("%d marks from %v to %v", n, c.lo, c.hi)
		}
	}
}

func TestRangeIsTight(t *testing.T) {
	for _, c := range []struct{ lo, hi, wantLo, wantHi float64 }{
		{0.0069, 29.7, 0.005, 50}, {0.01, 1, 0.01, 1}, {0.012, 0.013, 0.012, 0.013},
	} {
		lo, hi := logRange(c.lo, c.hi)
		if math.Abs(lo/c.wantLo-1) > 1e-9 || math.Abs(hi/c.wantHi-1) > 1e-9 {
			t.Errorf("logRange(%v, %v) = %v, %v, want %v, %v", c.lo, c.hi, lo, hi,
				c.wantLo, c.wantHi)
		}
	}
}

func TestZeroScale(t *testing.T) {
	s := zeroScale{low: 1}
	for _, c := range []struct{ x, want float64 }{{0, 0}, {1, zeroGap},
		{8, zeroGap + (1-zeroGap)/2}, {64, 1}} {
		if got := s.Normalize(0, 64, c.x); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v lies at %v, want %v", c.x, got, c.want)
		}
	}
}
