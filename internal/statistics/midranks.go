package statistics

import (
	"cmp"
	"slices"
)

// Midranks returns twice the ranks of the values. Equal values share their mean rank, so doubled
// ranks are integers. Values at most apart above the smallest of a group count as equal.
func Midranks(values []float64, apart float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]int, len(values))
	for i := 0; i < len(order); {
		least, j := values[order[i]], i+1
		for j < len(order) && (values[order[j]] == least || values[order[j]]-least <= apart) {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = i + 1 + j
		}
		i = j
	}
	return ranks
}
