package observe_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
)

func tasks(n int, lasts time.Duration, seed uint64) []record.Record {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([]record.Record, n)
	for i := range all {
		r := &all[i]
		r.Due = random.Int64N(int64(lasts))
		r.Settle(record.Completed, r.Due+int64(random.ExpFloat64()*float64(time.Millisecond)))
		if i%10 == 9 {
			r.Outcome = record.Failed
		}
	}
	slices.SortFunc(all, func(a, b record.Record) int { return int(a.Due - b.Due) })
	return all
}

func windows(t *testing.T, s *observe.Spread) []result.Window {
	t.Helper()
	all, err := s.Windows()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func bars(h *hdrhistogram.Histogram) []hdrhistogram.Bar {
	return slices.DeleteFunc(h.Distribution(), func(b hdrhistogram.Bar) bool {
		return b.Count == 0
	})
}

// Windows must be right despite a wrong estimate of the run's length, for partial results,
// sequential parts, and generators that share tasks.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		thought, lasts, length time.Duration
	}{
		{30 * time.Second, 30 * time.Second, time.Second / 2},
		{100 * time.Second, 100*time.Second - 1, time.Second},
		{time.Second, 3 * time.Hour, 128 * time.Second},
		{0, time.Second / 2, time.Second / 64},
		{0, 101 * time.Second, 2 * time.Second},
	} {
		all := tasks(2_000, c.lasts, 5)
		last := &all[len(all)-1]
		last.Due = int64(c.lasts) - 1
		last.Settle(record.Completed, last.Due)
		s := observe.NewSpread(int64(c.thought))
		second := observe.NewSpread(int64(c.thought))
		var shares [2]observe.Spread
		for i := range shares {
			shares[i] = observe.NewSpread(int64(c.thought))
		}
		for i := range all {
			if s.Add(&all[i]); i%500 == 0 {
				windows(t, &s)
			}
			if second.Add(&all[i]); i == 1777 {
				before := windows(t, &second)
				second = observe.NewSpread(int64(c.thought))
				second.Continue(before)
			}
			shares[i%2].Add(&all[i])
		}
		got := windows(t, &s)
		if len(got) > 100 || got[0].Length != c.length {
			t.Errorf("%v that were thought %v have %d windows of %v, want %v", c.lasts, c.thought,
				len(got), got[0].Length, c.length)
		}
		for _, w := range got {
			want := hdrhistogram.New(1, int64(100_000*time.Hour), 2)
			for i := range all {
				if r := &all[i]; r.Outcome == record.Completed && r.Due >= int64(w.Start) &&
					r.Due < int64(w.Start+w.Length) {
					_ = want.RecordValue(r.Response())
				}
			}
			is, err := hdrhistogram.Decode([]byte(w.Histogram))
			if err != nil {
				t.Fatal(err)
			}
			if is.TotalCount() == 0 || w.Max != want.Max() || !slices.Equal(bars(is), bars(want)) {
				t.Errorf("%v: the window at %v has %d tasks, %d at most; want %d, %d", c.lasts,
					w.Start, is.TotalCount(), w.Max, want.TotalCount(), want.Max())
			}
		}
		if parts := windows(t, &second); !slices.Equal(parts, got) {
			t.Errorf("%v: of two parts there are %d windows, of one %d; or they differ", c.lasts,
				len(parts), len(got))
		}
		var shared []result.Window
		for i := range shares {
			shared = append(shared, windows(t, &shares[i])...)
		}
		sum, err := observe.AddWindows(shared, c.length)
		if err != nil || !slices.Equal(sum, got) {
			t.Errorf("%v: of two generators there are %d windows, of one %d; or they differ: %v",
				c.lasts, len(sum), len(got), err)
		}
	}
	if _, err := observe.AddWindows([]result.Window{{Length: 1, Histogram: "x"},
		{Length: 1, Histogram: "y"}}, 1); err == nil {
		t.Error("what is no histogram is added")
	}
}

// An op adds a task. Each run has about 80 windows to encode.
func BenchmarkSpread(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			all := tasks(n, 10*time.Second, 1)
			s := observe.NewSpread(int64(10 * time.Second))
			i := 0
			for b.Loop() {
				if i == n {
					i, s = 0, observe.NewSpread(int64(10*time.Second))
				}
				s.Add(&all[i])
				i++
			}
		})
	}
}
