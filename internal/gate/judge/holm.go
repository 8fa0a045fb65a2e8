package judge

import "slices"

// holm adjusts the p-values of a family of tests so that rejecting those of at most alpha errs in
// any of them with probability alpha at most, however they depend on each other (Holm 1979): the
// i-th smallest of m is multiplied by m−i+1, and none comes out below a smaller one.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	adjusted := make([]float64, len(ps))
	least := 0.0
	for i, at := range order {
		least = max(least, min(1, float64(len(ps)-i)*ps[at]))
		adjusted[at] = least
	}
	return adjusted
}
