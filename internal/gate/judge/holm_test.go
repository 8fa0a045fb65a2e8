package judge

import (
	"math"
	"slices"
	"testing"
)

func TestHolm(t *testing.T) {
	for _, test := range []struct{ ps, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.4, 0.4, 0.9}, []float64{1, 1, 1}},
		{[]float64{0.01, 0.011}, []float64{0.02, 0.02}},
	} {
		got := holm(test.ps)
		if !slices.EqualFunc(got, test.want,
			func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v: %v, want %v", test.ps, got, test.want)
		}
	}
}
