package traffic

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// played are n instants of a process at a rate.
func played(t testing.TB, text string, rate float64, n int, seed uint64) (due []int64) {
	t.Helper()
	v, err := arrivals.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	next, err := v.Spec.Open(rate, seed, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		due = append(due, int64(next()))
	}
	return due
}

// TestDescribe: what is known in closed form.
func TestDescribe(t *testing.T) {
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: got %v want %v ± %v", what, got, want, tolerance)
		}
	}
	d := Describe(played(t, "constant", 40, 10_001, 1), nil)
	near("rate of constant", d.Rate, 40, 1e-9)
	near("C² of constant", d.GapC2, 0, 1e-9)
	near("peak of constant", d.Peak.Rate, 40, 0.1)
	for _, w := range d.Dispersion {
		near("dispersion of constant", w.Index, 0, 0.2*40*w.Window/math.Pow(40*w.Window, 2)+0.01)
	}
	if d.Durations != nil || len(d.Course) != courseParts {
		t.Errorf("durations %v, course %v", d.Durations, d.Course)
	}
	d = Describe(played(t, "poisson", 40, 100_001, 2), nil)
	near("C² of Poisson", d.GapC2, 1, 0.03)
	near("correlation of Poisson", d.GapRho, 0, 0.02)
	for _, w := range d.Dispersion { // deviation √(2/windows)
		near("dispersion of Poisson", w.Index, 1, 5*math.Sqrt(2*w.Window*40/100_000))
	}
	// pairs: every second gap is 0, so C² is 1, and a gap is always followed by the other kind
	d = Describe(played(t, "bulk:n=2", 40, 10_000, 1), nil)
	near("share of pairs", d.Together, 0.5, 1e-3)
	near("C² of pairs", d.GapC2, 1, 1e-2)
	near("correlation of pairs", d.GapRho, -1, 1e-2)

	due := []int64{5e9, 6e9, 7e9, 9e9}
	got := *Describe(due, []int64{1e9, 3e9, 1e9, 3e9}).Durations
	want := Durations{Mean: 2, P50: 1, Max: 3, C2: 0.25, Rho: -0.75, Busy: 1.5}
	if got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
}

// TestPeak: the busiest tenth is found wherever it is.
func TestPeak(t *testing.T) {
	var due []int64
	for i := range int64(1000) {
		due = append(due, i*1e9)
		if i >= 700 && i < 790 {
			due = append(due, i*1e9+1, i*1e9+2)
		}
	}
	p := Describe(due, nil).Peak
	if p.From < 690 || p.From > 700 || math.Abs(p.Rate-2.8) > 0.05 {
		t.Errorf("got %+v, want 2.8 /s from 690 to 700 s", p)
	}
}

// TestClosest: a process resembles itself, at other seeds and settings off the grid, better than
// those of other kinds do, and says how badly where none does.
func TestClosest(t *testing.T) {
	for text, want := range map[string]string{
		"constant": "constant", "poisson": "poisson", "bulk:n=28": "bulk:n=30",
		"onoff:on=130ms,off=510ms": "onoff", "onoff:on=1.3s,off=7s": "onoff",
		// bursts with few tasks between them: counts alone do not tell the one from the other
		"mmpp:ratio=9,high=1.1s,low=4s": "mmpp|onoff", "sine:period=370s,amp=0.8": "sine", "sine:period=70s,amp=0.35": "sine",
	} {
		for _, seed := range []uint64{3, 4} {
			got, ok := Closest(played(t, text, 87, 31_000, seed))
			name, _, _ := strings.Cut(got.Arrival, ":")
			if got.Arrival != want && !slices.Contains(strings.Split(want, "|"), name) ||
				!ok || got.Factor > 2 {
				t.Errorf("%s resembles %+v, %v", text, got, ok)
			}
		}
	}
	// hundreds of tasks at once, and then none for an hour: nothing of ours does that
	var due []int64
	for burst := range int64(12) {
		for i := range int64(300) {
			due = append(due, burst*int64(time.Hour)+i*1000)
		}
	}
	if got, ok := Closest(due); ok && got.Factor < 2 {
		t.Errorf("bursts by the hour resemble %+v", got)
	}
	if got, ok := Closest(due[:100]); ok {
		t.Errorf("100 tasks resemble %+v", got)
	}
}

// TestFew: two tasks are enough for a description.
func TestFew(t *testing.T) {
	d := Describe([]int64{7, 9}, []int64{0, 0})
	if d.Tasks != 2 || math.Abs(d.Rate/5e8-1) > 1e-9 || len(d.Dispersion) != 0 {
		t.Errorf("got %+v", d)
	}
}
