//go:build !js

package workloads

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

var averageNumbers = &amount{
	param.Key{Name: "n", Kind: param.Int,
		Doc: "numbers to average per task, instead of mean: the same work on every machine"},
	func(_ uint64, n int) counted { return &cpuAverage{n: n} },
}

var _ = register(Spec{
	Name:    "cpu_average",
	Summary: "averages the numbers 1 to n one by one: a computation that can be split into steps",
	Source:  "pattern: partitioned computing, the average of 1 to n",
	Kind:    CPU,
	Keys: append(averageNumbers.keys(), param.Key{Name: "r", Kind: param.Float, Default: "1",
		Doc: "length of a long task in short tasks, as in two_class: one task in 1+r is long, " +
			"and each class is half of the work"}),
	New: func(seed uint64, v param.Values) (Workload, error) {
		w, err := averageNumbers.build(seed, v)
		if r := v.Float("r"); err == nil && r != 1 {
			return newUnequalAverage(seed, w.(*cpuAverage), r)
		}
		return w, err
	},
	Check: func(v param.Values) error {
		if r := v.Float("r"); r < 1 || r > maxR {
			return fmt.Errorf("r: must be between 1 and %s, got %s", dist.FormatFloat(maxR),
				dist.FormatFloat(r))
		}
		return averageNumbers.check(v)
	},
})

// averageChunk additions take about 15 µs.
const averageChunk = 1 << 15

// The seed has no effect.
type cpuAverage struct {
	timeMoments
	n int
	// sum of all results modulo 2⁶⁴; prevents the compiler from removing the work
	total atomic.Uint64
}

func (w *cpuAverage) Do(ctx context.Context, _ uint64) error { return w.sum(ctx, 0, w.n) }

func (w *cpuAverage) DoPart(
	ctx context.Context, _ uint64, from, length time.Duration,
) (more bool, err error) {
	return w.part(ctx, w.n, w.mean, from, length)
}

// Adjacent parts neither repeat nor omit a number.
func (w *cpuAverage) part(
	ctx context.Context, n int, duration, from, length time.Duration,
) (more bool, err error) {
	numbersBefore := func(after time.Duration) int {
		return int(min(1, float64(after)/float64(duration)) * float64(n))
	}
	last := n
	if length < duration-from {
		last = numbersBefore(from + length)
	}
	return last < n, w.sum(ctx, numbersBefore(from), last)
}

func (w *cpuAverage) sum(ctx context.Context, first, last int) error {
	var sum uint64
	for at := first; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(last, at+averageChunk)
		for at < end {
			at++
			sum += uint64(at)
		}
		if at >= last {
			break
		}
	}
	w.total.Add(sum)
	return nil
}

// The tasks have two lengths, each with half of the work (two_class.go).
type unequalAverage struct {
	*cpuAverage
	registry.Coin
	numbers   [2]int           // of a short and a long task
	durations [2]time.Duration // of a short and a long task
}

func newUnequalAverage(seed uint64, mean *cpuAverage, r float64) (*unequalAverage, error) {
	w := &unequalAverage{cpuAverage: mean, Coin: registry.Coin{Seed: seed, P: 1 / (1 + r)}}
	long := float64(mean.n) * (1 + r) / 2
	for i, n := range []float64{math.Round(long / r), math.Round(long)} {
		// even a short task has at least half as many numbers as the mean
		if n > math.MaxInt32 {
			return nil, fmt.Errorf("r: with this mean, a long task would have %.3g numbers, want "+
				"up to %d", n, math.MaxInt32)
		}
		w.numbers[i] = int(n)
		w.durations[i] = time.Duration(math.Round(n / float64(mean.n) * float64(mean.mean)))
	}
	w.mean, w.c2 = w.Moments(w.durations[0], w.durations[1])
	return w, nil
}

func (w *unequalAverage) Long(seq uint64) bool { return w.Rare(seq) }

func (w *unequalAverage) Do(ctx context.Context, seq uint64) error {
	return w.sum(ctx, 0, w.numbers[w.Kind(seq)])
}

func (w *unequalAverage) DoPart(
	ctx context.Context, seq uint64, from, length time.Duration,
) (more bool, err error) {
	i := w.Kind(seq)
	return w.part(ctx, w.numbers[i], w.durations[i], from, length)
}
