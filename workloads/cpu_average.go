package workloads

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/param"
)

var averageNumbers = amount{
	param.Key{Name: "n", Kind: param.Int, Doc: "numbers to average per task, in place of mean: the same work on every machine"},
	averaged{},
}

var _ = register(Spec{
	Name:    "cpu_average",
	Summary: "averages the numbers 1 to n one by one: computing that can be done in steps",
	Source:  "pattern: partitioned computing, the average of 1 to n",
	Kind:    CPU,
	Keys:    averageNumbers.keys(),
	New: func(_ uint64, v param.Values) (Workload, error) {
		n, takes, err := averageNumbers.of(v)
		if err != nil {
			return nil, err
		}
		return &cpuAverage{equal: takes, n: n}, nil
	},
	Check: averageNumbers.check,
})

type averaged struct{}

func (averaged) sized(n int) doer { return &cpuAverage{n: n} }

// averageChunk is the number of additions between two looks at ctx, some 15 µs.
const averageChunk = 1 << 15

// cpuAverage has the same numbers in every task, so the seed changes nothing.
type cpuAverage struct {
	equal
	n int
	// total is the sum of what all tasks have summed, modulo 2⁶⁴, so that no part of the work is without a use, and the parts of a
	// task meet wherever they were done. Parts that their ctx ended are not in it.
	total atomic.Uint64
}

// Do averages all of the numbers.
func (w *cpuAverage) Do(ctx context.Context, _ uint64) error {
	return w.sum(ctx, 0, w.n)
}

// DoPart implements Partitioned. The task's mean time is taken to be spread evenly over its numbers: a part takes those that fall to
// its time, so neighbouring parts neither share a number nor leave one out.
func (w *cpuAverage) DoPart(ctx context.Context, _ uint64, from, length time.Duration) (more bool, err error) {
	last := w.n
	if length < w.mean-from {
		last = w.numbers(from + length)
	}
	return last < w.n, w.sum(ctx, w.numbers(from), last)
}

// numbers is how many of them have been dealt with after that much of the mean.
func (w *cpuAverage) numbers(after time.Duration) int {
	share := min(1, float64(after)/float64(w.mean))
	return int(share * float64(w.n))
}

// sum adds the numbers after first up to last, the average's numerator, to the total.
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
