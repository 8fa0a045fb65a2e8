package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A widening is by what factor U scatters more than in the permutation distribution, which holds
// where both samples come from one distribution.
//
// What decides where they do not is how often a y is above an x, U/(nx·ny). Its variance is
// Var(F(Y))/ny + Var(G(X))/nx, which Fligner and Policello (1981) and Brunner and Munzel (2000)
// estimate by the placements of the values. Of few values those say little, and nothing where the
// samples do not overlap. Here it is that of two normal distributions of the ratio of spreads r
// that the samples show, (asin(r²/(1+r²))/ny + asin(1/(1+r²))/nx)/2π: from 1/12 of 1/nx + 1/ny, if
// they are equal, up to 1/4 of 1/ny, where x is a point and U is a count of signs. It is never
// taken for less than the permutation's: the test never finds more than the rank test.
type widening struct {
	*deals
	factor float64 // 1 or more
}

// The ratio of spreads of samples of that size is known to some standard errors: log r is off by
// √(1/2(nx−1) + 1/2(ny−1)). Below 0.9 of that it is held for noise, from one more on it counts in
// full, and then as if it were one more, since a spread that is underestimated does harm, and one
// that is overestimated does not.
const (
	spreadNoise = 0.9
	spreadFull  = 1.9
)

// widen is for samples of two values at least, in steps of that size.
func widen(d *deals, x, y []float64, step float64) widening {
	nx, ny := float64(len(x)), float64(len(y))
	log := spreadOf(y, step) - spreadOf(x, step)
	se := math.Sqrt(1/(2*(nx-1)) + 1/(2*(ny-1)))
	switch {
	case math.IsNaN(log): // both are constant
		log = 0
	case !math.IsInf(log, 0):
		z := math.Abs(log) / se
		ramp := func(from float64) float64 { return max(0, min(1, z-from)) }
		log = math.Copysign(se*(z*ramp(spreadNoise)+ramp(spreadFull)), log)
	}
	share := 1 / (1 + math.Exp(-2*log)) // r²/(1+r²)
	apart := (math.Asin(share)/ny + math.Asin(1-share)/nx) / (2 * math.Pi)
	return widening{d, max(1, math.Sqrt(apart*12/(1/nx+1/ny)))}
}

// spreadOf is the logarithm of the mean of two spreads of the values' logarithms: one that sees
// what sticks out, and one that is not carried away by it. Where there are zeros it is of the
// values.
func spreadOf(values []float64, step float64) float64 {
	within := step / math.Sqrt(12) // what values scatter within a step is not seen
	if slices.Min(values) > 0 {
		within /= slices.Max(values)
		values = logs(values)
	}
	return (math.Log(math.Hypot(Spread(values), within)) +
		math.Log(math.Hypot(stat.StdDev(values, nil), within))) / 2
}

// leastSigns is a p below which samples with unequal spreads cannot be: they are worth so many
// signs, as many as the one with the larger spread has values where the other has next to none.
func (w widening) leastSigns() float64 {
	if w.factor == 1 {
		return 0
	}
	variance := w.factor * w.factor * float64(w.nx+w.ny+1) / (12 * float64(w.nx) * float64(w.ny))
	return math.Exp2(-1 - 1/(4*variance))
}

func (w widening) least() float64 {
	if w.factor == 1 {
		return smallestP(w.nx, w.ny)
	}
	p := w.leastSigns()
	if w.nx+w.ny <= rankSumLimit {
		mean := float64(w.nx*w.ny) / 2
		apart, _ := tails(w.distribution(), mean-mean/w.factor)
		p = max(p, apart)
	}
	return p
}

// A welch is Student's test of the logarithms of two samples whose spreads may differ (Welch 1947).
type welch struct {
	difference float64 // of the means, y less x
	se         float64 // infinite where there are zeros, so that it finds nothing
	student    distuv.StudentsT
}

// student returns Student's t distribution.
func student(freedom float64) distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}
}

// newWelch is for samples of two values at least, in steps of that size, that are not all equal.
func newWelch(x, y []float64, step float64) welch {
	if slices.Min(x) <= 0 || slices.Min(y) <= 0 {
		return welch{se: math.Inf(1), student: student(1)}
	}
	of := func(values []float64) (mean, squared, freedom float64) {
		within := step / slices.Max(values)
		mean, variance := stat.MeanVariance(logs(values), nil)
		return mean, (variance + within*within/12) / float64(len(values)), float64(len(values) - 1)
	}
	meanX, squaredX, freedomX := of(x)
	meanY, squaredY, freedomY := of(y)
	both := squaredX + squaredY
	freedom := both * both / (squaredX*squaredX/freedomX + squaredY*squaredY/freedomY)
	return welch{meanY - meanX, math.Sqrt(both), student(freedom)}
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
	return w.student.Survival(-t), w.student.Survival(t)
}

// between are the factors that the test rejects with neither tail.
func (w welch) between(tail float64) (low, high float64) {
	away := w.student.Quantile(1-tail) * w.se
	return math.Exp(w.difference - away), math.Exp(w.difference + away)
}
