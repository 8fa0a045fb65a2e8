package statistics

import (
	"cmp"
	"slices"
)

// Midranks returns the doubled ranks of the values, with equal ones sharing their mean rank.
// Doubled ranks are whole numbers. Values within apart above the least of a group count as equal.
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
