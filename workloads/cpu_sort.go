//go:build !js

package workloads

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
)

var _ = register(Spec{
	Name: "cpu_sort",
	Summary: "fills a new slice with n random numbers and sorts it: a computation with work for " +
		"the garbage collector",
	Kind: CPU,
	Keys: []param.Key{
		{Name: "n", Kind: param.Int, Default: "10000",
			Doc: "numbers to sort, 8 bytes each: the time is about in proportion to n·log n"},
	},
	New: func(seed uint64, v param.Values) (Workload, error) {
		mean, err := calibrated.Task(sortSizes{}, v.Int("n"))
		if err != nil {
			return nil, err
		}
		return &cpuSort{timeMoments{mean: mean}, seed, v.Int("n")}, nil
	},
	Check: numberFrom("n", 1, maxSorted),
})

// 10⁷ numbers take 80 MB and about a second.
const maxSorted = 10_000_000

type sortSizes struct{}

func (sortSizes) Sized(n int) machine.Doer { return &cpuSort{n: n} }

// The times of cpuSort vary by two or three percent, so C² is 6.6·10⁻⁴ instead of 0.
type cpuSort struct {
	timeMoments
	seed uint64
	n    int
}

// Do allocates one object of 8·n bytes per task.
func (w *cpuSort) Do(ctx context.Context, seq uint64) error {
	_, err := w.sort(ctx, seq)
	return err
}

func (w *cpuSort) sort(ctx context.Context, seq uint64) ([]uint64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	numbers := make([]uint64, w.n)
	var pcg rand.PCG
	pcg.Seed(w.seed, seq)
	for i := range numbers {
		numbers[i] = pcg.Uint64()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	return numbers, nil
}
