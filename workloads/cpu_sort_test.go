package workloads

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortedNumbersAreTheTasks(t *testing.T) {
	w := &cpuSort{seed: 5, n: 1000}
	for _, seq := range []uint64{0, 1, 1 << 63} {
		want := make([]uint64, w.n)
		pcg := rand.NewPCG(5, seq)
		for i := range want {
			want[i] = pcg.Uint64()
		}
		slices.Sort(want)
		for range 2 {
			got, err := w.sort(context.Background(), seq)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("task %d: other numbers than those drawn, or out of order, %v", seq, err)
			}
			clear(got) // the second round would see a shared slice
		}
	}
}
