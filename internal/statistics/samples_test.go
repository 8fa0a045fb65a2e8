package statistics

import (
	"math"
	"slices"
	"testing"
)

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{
		3: {3}, 2: {9, 2, -4}, 2.5: {4, 1, 2, 3},
		math.MaxFloat64: {math.MaxFloat64, math.MaxFloat64},
	} {
		before := slices.Clone(values)
		if got := Median(values); got != want || !slices.Equal(values, before) {
			t.Errorf("the median of %v is %v, want %v; afterwards they are %v", before,
				got, want, values)
		}
	}
}

func TestRatio(t *testing.T) {
	for want, pair := range map[float64][2]float64{1: {0, 0}, 2: {3, 6}, math.Inf(1): {0, 5}} {
		if got := Ratio(pair[0], pair[1]); got != want {
			t.Errorf("%v: %v, want %v", pair, got, want)
		}
	}
}
