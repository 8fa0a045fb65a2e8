package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A welch is Student's test of the logarithms of two samples whose spreads may differ (Welch 1947).
type welch struct {
	difference float64 // of the means, y less x
	se         float64 // infinite where there are zeros, so that it finds nothing
	student    distuv.StudentsT
}

// newWelch is for samples of two values at least, in steps of that size, that are not all equal.
func newWelch(x, y []float64, step float64) welch {
	if slices.Min(x) <= 0 || slices.Min(y) <= 0 {
		return welch{se: math.Inf(1), student: distuv.StudentsT{Sigma: 1, Nu: 1}}
	}
	of := func(values []float64) (mean, squared, freedom float64) {
		within := step / slices.Max(values)
		mean, variance := stat.MeanVariance(logs(values), nil)
		return mean, (variance + within*within/12) / float64(len(values)), float64(len(values) - 1)
	}
	meanX, squaredX, freedomX := of(x)
	meanY, squaredY, freedomY := of(y)
	both := squaredX + squaredY
	return welch{
		difference: meanY - meanX,
		se:         math.Sqrt(both),
		student: distuv.StudentsT{Sigma: 1,
			Nu: both * both / (squaredX*squaredX/freedomX + squaredY*squaredY/freedomY)},
	}
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

// at gives how likely y is so much less, or greater, than x times the factor.
func (w welch) at(factor float64) (less, greater float64) {
	t := (w.difference - math.Log(factor)) / w.se
	return w.student.CDF(t), w.student.CDF(-t)
}

// between are the factors that the test rejects with neither tail.
func (w welch) between(tail float64) (low, high float64) {
	away := -w.student.Quantile(tail) * w.se
	return math.Exp(w.difference - away), math.Exp(w.difference + away)
}
