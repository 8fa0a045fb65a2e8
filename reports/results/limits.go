package results

import (
	"fmt"
	"math"
)

// SmallestLimits describes the limits that may be the smallest one that meets an objective: met is
// the smallest that surely meets it, missed the largest below it that surely misses it. Each may be
// NaN. most is the largest limit of the search. decided is false if runs were inconclusive or
// failed.
func SmallestLimits(met, missed, most float64, decided bool) string {
	switch {
	case math.IsNaN(met) && decided:
		return fmt.Sprintf("none up to %v", most)
	case math.IsNaN(met):
		return "?"
	case math.IsNaN(missed) && decided:
		return fmt.Sprintf("%v, the smallest tried", met)
	case math.IsNaN(missed):
		return fmt.Sprintf("at most %v", met)
	}
	switch first := missed + 1; met - first {
	case 0:
		return fmt.Sprint(met)
	case 1:
		return fmt.Sprintf("%v or %v", first, met)
	default:
		return fmt.Sprintf("%v to %v", first, met)
	}
}
