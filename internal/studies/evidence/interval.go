package evidence

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// An Interval is a mean with its 95 % confidence interval by Student's t. The repetitions are
// independent, because of their seeds, and approximately normal, as means and quantiles of
// thousands of tasks are.
type Interval struct{ Mid, Lo, Hi float64 }

// The bounds of a single value are NaN.
func OfMean(values []float64) Interval {
	switch len(values) {
	case 0:
		return Interval{math.NaN(), math.NaN(), math.NaN()}
	case 1:
		return Interval{values[0], math.NaN(), math.NaN()}
	}
	mean := stat.Mean(values, nil)
	stdErr := stat.StdDev(values, nil) / math.Sqrt(float64(len(values)))
	half := statistics.Student(len(values), 0.05) * stdErr
	return Interval{mean, mean - half, mean + half}
}

// OfMedian returns the median and an interval between two order statistics. Below six values these
// are the smallest and the largest, with less than 95 % confidence.
func OfMedian(values []float64) Interval {
	n := len(values)
	if n == 0 {
		return OfMean(nil)
	}
	sorted := slices.Sorted(slices.Values(values))
	// The number of values below the median is binomial.
	rank, below, chance := 0, 0.0, math.Pow(0.5, float64(n))
	for k := 0; below+chance <= 0.025; k++ {
		rank = k
		below += chance
		chance *= float64(n-k) / float64(k+1)
	}
	return Interval{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[rank], sorted[n-1-rank]}
}

// OfProduct computes on a logarithmic scale.
func OfProduct(values []float64) Interval {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	in := OfMean(logs)
	return Interval{math.Exp(in.Mid), math.Exp(in.Lo), math.Exp(in.Hi)}
}

func (in Interval) Times(f float64) Interval { return Interval{in.Mid * f, in.Lo * f, in.Hi * f} }

// Positive returns NaN, which a logarithmic axis omits, unless the middle is above 0.
func (in Interval) Positive() Interval {
	if in.Mid > 0 {
		return in
	}
	return OfMean(nil)
}

// Below and Above are false for a single value, whose bounds are NaN.
func (in Interval) Below() bool { return in.Hi < 1 }

func (in Interval) Above() bool { return in.Lo > 1 }

// An interval over three decades, for example from two repetitions, contains no information.
func (in Interval) String() string {
	if in.Lo > 0 && in.Hi > 1000*in.Lo {
		return "too uncertain"
	}
	return in.Write(text.Short)
}

func (in Interval) Factor() string {
	if in.Lo > 0 && in.Hi > 1000*in.Lo {
		return in.String()
	}
	return "×" + in.String()
}

func (in Interval) Percents() string { return in.Write(text.ShortShare) }

// Share formats a share between 0 and 1.
func (in Interval) Share() string {
	in.Lo, in.Hi = max(in.Lo, 0), min(in.Hi, 1)
	return in.Percents()
}

// Write formats only the number if its interval is unknown, or narrower than the digits.
func (in Interval) Write(number func(float64) string) string {
	mid, lo, hi := number(in.Mid), number(in.Lo), number(in.Hi)
	if math.IsNaN(in.Lo) || lo == hi {
		return mid
	}
	if _, unit, ok := strings.Cut(hi, " "); ok { // the unit once
		lo = strings.TrimSuffix(lo, " "+unit)
	}
	return fmt.Sprintf("%s (%s to %s)", mid, lo, hi)
}

func (in Interval) Row() charts.RowValue {
	return charts.RowValue{Mid: in.Mid, Lo: in.Lo, Hi: in.Hi}
}

func Point(v float64) Interval { return Interval{v, math.NaN(), math.NaN()} }

func Points(values ...float64) (all []Interval) {
	for _, v := range values {
		all = append(all, Point(v))
	}
	return all
}

// LastCrossing returns the x at which y finally becomes positive, interpolated on a logarithmic
// axis, or NaN if it does not, or always was.
func LastCrossing(x, y []float64) float64 {
	for i := len(y) - 1; i > 0; i-- {
		if !(y[i] > 0) {
			break
		}
		if y[i-1] <= 0 {
			part := -y[i-1] / (y[i] - y[i-1])
			return math.Exp(math.Log(x[i-1]) + part*math.Log(x[i]/x[i-1]))
		}
	}
	return math.NaN()
}
