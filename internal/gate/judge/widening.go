package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// widening is the factor by which the standard deviation of U exceeds that of the permutation
// distribution. Estimates of the variance from the ranks (Fligner and Policello 1981, Brunner and
// Munzel 2000) are poor for few values. This implementation uses the variance for two normal
// distributions with the estimated ratio of spreads r, (asin(r²/(1+r²))/ny + asin(1/(1+r²))/nx)/2π.
// The factor is at least 1, so the test never finds more than the rank test.
type widening struct {
	*rankSumCounts
	factor float64
}

// The logarithm of the estimated ratio of spreads has a standard error of √(1/2(nx−1) + 1/2(ny−1)).
// Up to spreadNoise standard errors a difference is ignored, and one standard error above that it
// counts in full. From spreadFull on, one more standard error is added gradually, because only an
// underestimated ratio is harmful.
const (
	spreadNoise = 0.9
	spreadFull  = 1.9
)

func widen(d *rankSumCounts, x, y []float64, step float64) widening {
	nx, ny := float64(len(x)), float64(len(y))
	log := spreadOf(y, step) - spreadOf(x, step)
	se := math.Sqrt(1/(2*(nx-1)) + 1/(2*(ny-1)))
	switch {
	case math.IsNaN(log):
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

// spreadOf returns the logarithm of the geometric mean of a non-robust and a robust spread of the
// values' logarithms, or of the values if some are 0.
func spreadOf(values []float64, step float64) float64 {
	within := step / math.Sqrt(12) // rounding hides scatter within a step
	if slices.Min(values) > 0 {
		within /= slices.Max(values)
		values = logs(values)
	}
	return (math.Log(math.Hypot(Spread(values), within)) +
		math.Log(math.Hypot(stat.StdDev(values, nil), within))) / 2
}

// If one sample has almost no spread, only the signs of the values of the other contain
// information.
func (w widening) minSigns() float64 {
	if w.factor == 1 {
		return 0
	}
	variance := w.factor * w.factor * float64(w.nx+w.ny+1) / (12 * float64(w.nx) * float64(w.ny))
	return math.Exp2(-1 - 1/(4*variance))
}

func (w widening) minP() float64 {
	if w.factor == 1 {
		return smallestP(w.nx, w.ny)
	}
	p := w.minSigns()
	if w.nx+w.ny <= rankSumLimit {
		mean := float64(w.nx*w.ny) / 2
		apart, _ := tails(w.distribution(), mean-mean/w.factor)
		p = max(p, apart)
	}
	return p
}

type welch struct {
	difference float64 // mean of y minus mean of x
	se         float64 // infinite if there are zeros, so that nothing is significant
	student    distuv.StudentsT
}

func student(freedom float64) distuv.StudentsT {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}
}

// newWelch requires at least two values per sample that are not all equal. step is the rounding of
// the values.
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

func (w welch) at(factor float64) (less, greater float64) {
	t := (w.difference - math.Log(factor)) / w.se
	return w.student.Survival(-t), w.student.Survival(t)
}

func (w welch) between(tail float64) (low, high float64) {
	away := w.student.Quantile(1-tail) * w.se
	return math.Exp(w.difference - away), math.Exp(w.difference + away)
}
