package traffic

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

func generated(t testing.TB, text string, rate float64, n int, seed uint64) (due []traces.Record) {
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
		due = append(due, traces.Record{At: int64(next())})
	}
	return due
}

// parse parses CSV lines with the columns time, duration and class.
func parse(t *testing.T, lines, class string) *traces.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	trace, err := traces.Source{File: file, Time: "1", Duration: "2", Class: class}.Read()
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestClasses(t *testing.T) {
	trace := parse(t, "1,1s,short\n2,2s,short\n3,9s,long\n4,3s,short\n5,0,none\n", "3")
	got := Classes(trace.Records, trace.Classes, []bool{false, true, false})
	want := []Class{
		{Name: "long", Tasks: 1, Share: 0.2, Work: 0.6, Mean: 9, Long: true},
		{Name: "short", Tasks: 3, Share: 0.6, Work: 0.4, Mean: 2, C2: 2.0 / 3 / 4},
		{Name: "none", Tasks: 1, Share: 0.2}}
	for i := range got {
		got[i].C2 = math.Round(got[i].C2*1e12) / 1e12
		want[i].C2 = math.Round(want[i].C2*1e12) / 1e12
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v want %+v", got, want)
	}
	if got = Classes(trace.Records[:2], trace.Classes, make([]bool, 3)); len(got) != 1 {
		t.Errorf("of a part of the trace: %+v", got)
	}
}

func TestDescribe(t *testing.T) {
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s: got %v want %v ± %v", what, got, want, tolerance)
		}
	}
	d := Describe(generated(t, "constant", 40, 10_001, 1), false)
	near("rate of constant", d.Rate, 40, 1e-9)
	near("C² of constant", d.GapC2, 0, 1e-9)
	near("peak of constant", d.Peak.Rate, 40, 0.1)
	for _, w := range d.Dispersion {
		near("dispersion of constant", w.Index, 0, 0.2*40*w.Window/math.Pow(40*w.Window, 2)+0.01)
	}
	if d.Durations != nil || len(d.Course) != courseParts {
		t.Errorf("durations %v, course %v", d.Durations, d.Course)
	}
	d = Describe(generated(t, "poisson", 40, 100_001, 2), false)
	near("C² of Poisson", d.GapC2, 1, 0.03)
	near("correlation of Poisson", d.GapRho, 0, 0.02)
	for _, w := range d.Dispersion { // deviation √(2/windows)
		near("dispersion of Poisson", w.Index, 1, 5*math.Sqrt(2*w.Window*40/100_000))
	}
	// every second gap is 0, so C² is 1 and the correlation is −1
	d = Describe(generated(t, "bulk:n=2", 40, 10_000, 1), false)
	near("share of pairs", d.Together, 0.5, 1e-3)
	near("C² of pairs", d.GapC2, 1, 1e-2)
	near("correlation of pairs", d.GapRho, -1, 1e-2)

	tasks := parse(t, "5,1,a\n6,3,b\n7,1,a\n9,3,b\n", "")
	got := *Describe(tasks.Records, true).Durations
	want := Durations{Mean: 2, P50: 1, Max: 3, C2: 0.25, Rho: -0.75, Busy: 1.5}
	if got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
}

// A regular cycle must be found in any process. Random variation must not be taken for a cycle.
func TestSwing(t *testing.T) {
	const rate, n = 87, 31_000 // 356 s
	for _, c := range []struct{ period, amp, phase float64 }{{71, 0.35, 0}, {113, 0.5, 0.6},
		{300, 0.8, 0.25}, {23.7, 0.3, 0.9}} {
		due := generated(t, fmt.Sprintf("sine:period=%vs,amp=%v,phase=%v", c.period, c.amp,
			c.phase), rate, n, 1)
		noisy := due
		if c.amp > 0.3 { // the same cycle with Poisson arrivals
			noisy = slices.Clone(due)
			r := rand.New(rand.NewPCG(1, 2))
			for i := range noisy { // random shifts of up to a second make the counts Poisson
				noisy[i].At += int64(r.Float64() * 1e9)
			}
			slices.SortFunc(noisy, func(a, b traces.Record) int { return cmp.Compare(a.At, b.At) })
		}
		for _, tasks := range [][]traces.Record{due, noisy} {
			s := SwingOf(tasks)
			if s == nil || math.Abs(s.Period/c.period-1) > 0.05 ||
				math.Abs(s.Amplitude-c.amp) > 0.03 || s.Share < 0.9 ||
				math.Abs(math.Remainder(s.Phase-c.phase, 1)) > 0.1 {
				t.Errorf("%+v: got %+v", c, s)
			}
		}
	}
	for _, process := range []string{"onoff:on=130ms,off=510ms", "onoff:on=1.3s,off=7s",
		"mmpp:ratio=9,high=1.1s,low=4s", "bulk:n=300"} {
		for seed := range uint64(8) {
			if s := SwingOf(generated(t, process, rate, n, seed)); s != nil && s.Share > 0.3 {
				t.Errorf("%s swings: %+v", process, s)
			}
		}
	}
	// by chance, a few bursts may look like two cycles, but not like three
	for _, process := range []string{"onoff:on=20s,off=60s", "onoff:on=40s,off=40s",
		"onoff:on=10s,off=30s", "mmpp:ratio=3,high=20s,low=60s", "mmpp:ratio=3,high=60s,low=60s"} {
		for seed := range uint64(50) {
			due := generated(t, process, rate, n, seed)
			if s := SwingOf(due); s != nil && s.Share >= Steady && Span(due)/1e9/s.Period > 2.9 {
				t.Errorf("%s, seed %d: swings: %+v", process, seed, s)
			}
		}
	}
	for _, process := range []string{"poisson", "constant"} {
		for seed := range uint64(8) {
			if s := SwingOf(generated(t, process, rate, n, seed)); s != nil {
				t.Errorf("%s swings: %+v", process, s)
			}
		}
	}
	// a linear ramp: a sine explains 6/π² of its variance
	var ramp []traces.Record
	for i := range 100_000 {
		ramp = append(ramp, traces.Record{At: int64(math.Sqrt(float64(i)) * 1e9)})
	}
	if s := SwingOf(ramp); s == nil || math.Abs(s.Share-6/(math.Pi*math.Pi)) > 0.02 {
		t.Errorf("a ramp: %+v", s)
	}
}

func TestPeak(t *testing.T) {
	var due []traces.Record
	for i := range int64(1000) {
		due = append(due, traces.Record{At: i * 1e9})
		if i >= 700 && i < 790 {
			due = append(due, traces.Record{At: i*1e9 + 1}, traces.Record{At: i*1e9 + 2})
		}
	}
	p := Describe(due, false).Peak
	if p.From < 690 || p.From > 700 || math.Abs(p.Rate-2.8) > 0.05 {
		t.Errorf("got %+v, want 2.8 /s from 690 to 700 s", p)
	}
}

func TestFew(t *testing.T) {
	d := Describe([]traces.Record{{At: 7}, {At: 9}}, true)
	if d.Tasks != 2 || math.Abs(d.Rate/5e8-1) > 1e-9 || len(d.Dispersion) != 0 {
		t.Errorf("got %+v", d)
	}
}

func TestMemory(t *testing.T) {
	tasks := generated(t, "poisson", 87, 1_000_000, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Describe(tasks, true)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 8*uint64(len(tasks))+4<<20 {
		t.Errorf("%d bytes", bytes)
	}
}
