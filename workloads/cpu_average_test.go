package workloads

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func sumTo(n int) uint64 { return uint64(n) * uint64(n+1) / 2 }

func TestAverageIsRight(t *testing.T) {
	for _, n := range []int{1, 2, averageChunk - 1, averageChunk, averageChunk + 1,
		3*averageChunk + 5} {
		w := &cpuAverage{n: n}
		for tasks := range uint64(3) {
			if err := w.Do(context.Background(), tasks); err != nil ||
				w.total.Load() != (tasks+1)*sumTo(n) {
				t.Errorf("1 to %d, %d timeMoments: sum %d, %v; want %d", n, tasks+1, w.total.Load(), err,
					(tasks+1)*sumTo(n))
			}
		}
	}
}

func TestPartsOfAnAverage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(t, "n")
		mean := time.Duration(rapid.Int64Range(1, 1e9).Draw(t, "mean"))
		step := time.Duration(rapid.Int64Range(max(1, int64(mean)/100), 2e9).Draw(t, "step"))
		w := &cpuAverage{timeMoments: timeMoments{mean: mean}, n: n}
		parts := 0
		for more := true; more; parts++ {
			var err error
			if more, err = w.DoPart(context.Background(), 7, time.Duration(parts)*step,
				step); err != nil {
				t.Fatal(err)
			}
		}
		if w.total.Load() != sumTo(n) {
			t.Fatalf("%d parts add up to %d, want %d", parts, w.total.Load(), sumTo(n))
		}
		if want := int((mean + step - 1) / step); parts > want || n >= 100_000 &&
			mean < 100_000 && parts != want {
			t.Fatalf("%d parts, want %d", parts, want)
		}
	})
}

func TestPartsOfAnAverageSideBySide(t *testing.T) {
	const n, steps = 1_000_003, 13
	w := &cpuAverage{timeMoments: timeMoments{mean: time.Millisecond}, n: n}
	step := time.Millisecond/steps + 1
	var wg sync.WaitGroup
	for i := range steps {
		wg.Go(func() {
			more, err := w.DoPart(context.Background(), 1, time.Duration(i)*step, step)
			if err != nil || more != (i < steps-1) {
				t.Errorf("part %d: more is %v, %v", i, more, err)
			}
		})
	}
	wg.Wait()
	if w.total.Load() != sumTo(n) {
		t.Errorf("the parts add up to %d, want %d", w.total.Load(), sumTo(n))
	}
}

func TestPartsBeyondTheEndAndEndedOnes(t *testing.T) {
	w := &cpuAverage{timeMoments: timeMoments{mean: time.Millisecond}, n: math.MaxInt32}
	for _, from := range []time.Duration{time.Millisecond, time.Second, math.MaxInt64} {
		if more, err := w.DoPart(context.Background(), 1, from, math.MaxInt64); more || err != nil {
			t.Errorf("a part from %v: more is %v, %v", from, more, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.DoPart(ctx, 1, 0, time.Microsecond); !errors.Is(err, context.Canceled) ||
		w.total.Load() != 0 {
		t.Errorf("an ended part: %v, sum %d", err, w.total.Load())
	}
}

// Each class must do half of the work, and a long task must have r times as many numbers.
func TestUnequalAverages(t *testing.T) {
	const n, r, tasks = 210_000, 20.0, 20_000
	equal := &cpuAverage{timeMoments: timeMoments{mean: time.Millisecond}, n: n}
	w, err := newUnequalAverage(7, equal, r)
	if err != nil {
		t.Fatal(err)
	}
	if w.numbers != [2]int{110_250, 2_205_000} ||
		w.durations != [2]time.Duration{525_000, 10_500_000} {
		t.Errorf("numbers %v, times %v", w.numbers, w.durations)
	}
	if math.Abs(w.C2()-(r-1)*(r-1)/(4*r)) > 1e-9 || w.Mean() != time.Millisecond {
		t.Errorf("C² is %v, mean %v", w.C2(), w.Mean())
	}
	long := 0
	for seq := range uint64(tasks) {
		if w.Long(seq) {
			long++
		}
	}
	if want := tasks / (1 + r); math.Abs(float64(long)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d of %d tasks are long, want about %.0f", long, tasks, want)
	}
	for seq, seen := uint64(0), [2]bool{}; seen != [2]bool{true, true}; seq++ {
		i := w.Kind(seq)
		if seen[i] {
			continue
		}
		seen[i] = true
		w.total.Store(0)
		const step = 200 * time.Microsecond
		parts := 0
		for more := true; more; parts++ {
			if more, err = w.DoPart(t.Context(), seq, time.Duration(parts)*step, step); err != nil {
				t.Fatal(err)
			}
		}
		if want := int((w.durations[i] + step - 1) / step); parts != want ||
			w.total.Load() != sumTo(w.numbers[i]) {
			t.Errorf("class %d: %d parts add up to %d, want %d and %d", i, parts, w.total.Load(),
				want, sumTo(w.numbers[i]))
		}
		w.total.Store(0)
		if err := w.Do(t.Context(), seq); err != nil || w.total.Load() != sumTo(w.numbers[i]) {
			t.Errorf("class %d, whole: %d, %v", i, w.total.Load(), err)
		}
	}
	mean := &cpuAverage{timeMoments: timeMoments{mean: time.Second}, n: math.MaxInt32}
	if w, err := newUnequalAverage(1, mean, 100); err == nil {
		t.Errorf("more numbers than can be counted: %v", w.numbers)
	}
}
