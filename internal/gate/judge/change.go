package judge

import (
	"fmt"
	"math"
)

// A Direction says which way a metric is better: as the Unit lines of the Go benchmark format have
// it. The zero value is not known, and nothing is decided on it.
type Direction int

// The directions.
const (
	LowerIsBetter  Direction = -1
	HigherIsBetter Direction = +1
)

// A Pair is a metric's value in two runs that belong together: next to each other in time, with the
// same seed.
type Pair struct{ Base, Head float64 }

// worsening is the logarithm of head over base, signed so that plus is worse. It is 0 when both are
// 0, and infinite when one is.
func worsening(base, head float64, better Direction) float64 {
	if base == head {
		return 0
	}
	// Of the quotient, not a difference of logarithms: 2/1 and 4/2 are then equal to the last
	// digit, and so tied.
	return -float64(better) * math.Log(math.Abs(head/base)) // a zero may have a sign
}

// roundoff is the difference of two worsenings below which they are equal: log(3/2) and −log(2/3)
// differ in the last digit.
const roundoff = 1e-12

// checkValue says why a value cannot be part of a pair.
func checkValue(v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%v has no ratio: want a number of at least 0", v)
	}
	return nil
}

func worsenings(pairs []Pair, better Direction) []float64 {
	changes := make([]float64, len(pairs))
	for i, p := range pairs {
		changes[i] = worsening(p.Base, p.Head, better)
	}
	return changes
}
