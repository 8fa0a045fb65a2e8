package theory

import (
	"fmt"
	"slices"
)

// BatchMakespan returns the mean makespan of n tasks that are all due at once, with exponential
// service times. While more than k = min(limit, n) tasks are left, one ends every E[S]/k. The last
// k end at rates k, k−1, …, 1 per E[S]. So the mean is E[S]·((n−k)/k + H_k), where H_k is the k-th
// harmonic number.
func BatchMakespan(n int, meanService float64, limit int) (float64, error) {
	if err := positive("mean service time", meanService); err != nil {
		return 0, err
	}
	if n < 1 || limit < 1 {
		return 0, fmt.Errorf("theory: a batch needs a task and a limit of at least 1, got %d and "+
			"%d", n, limit)
	}
	k := min(limit, n)
	h := 0.0
	for i := k; i >= 1; i-- {
		h += 1 / float64(i)
	}
	return meanService * (float64(n-k)/float64(k) + h), nil
}

// BatchLeft returns the mean number of unfinished tasks of the batch at time t.
func BatchLeft(n int, meanService float64, limit int, t float64) float64 {
	k := min(limit, n)
	// ends[m] is the number of tasks that start after m completions
	ends := slices.Repeat([]float64{1}, n-k+1)
	ends[0] = float64(k)
	left, _ := newErlangMix(k, ends).responseLaw(meanService).above(t)
	return float64(n) * left
}
