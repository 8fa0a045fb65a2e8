package evidence

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
	"github.com/poolbench/poolbench/reports/page/shell"
)

// An Interval is a mean with its 95 % confidence interval by Student's t. It takes the repetitions
// as independent, which their seeds make them, and their values as near to normal, which means and
// quantiles of thousands of tasks are.
type Interval struct{ Mid, Lo, Hi float64 }

// OfMean is the interval of the mean; without bounds (NaN) for a single value, NaN for none.
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

// OfMedian is the median with the interval between two order statistics that holds it with at least
// 95 %; below six values, the smallest and the largest, which hold it with less.
func OfMedian(values []float64) Interval {
	n := len(values)
	if n == 0 {
		return OfMean(nil)
	}
	sorted := slices.Sorted(slices.Values(values))
	// Below the median lie as many of the values as heads in n throws of a coin.
	rank, below, chance := 0, 0.0, math.Pow(0.5, float64(n))
	for k := 0; below+chance <= 0.025; k++ {
		rank = k
		below += chance
		chance *= float64(n-k) / float64(k+1)
	}
	return Interval{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[rank], sorted[n-1-rank]}
}

// OfProduct is OfMean on a logarithmic scale, for ratios and for what is read from logarithmic
// axes.
func OfProduct(values []float64) Interval {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	in := OfMean(logs)
	return Interval{math.Exp(in.Mid), math.Exp(in.Lo), math.Exp(in.Hi)}
}

// Times scales the interval.
func (in Interval) Times(f float64) Interval { return Interval{in.Mid * f, in.Lo * f, in.Hi * f} }

// Positive is the interval where its middle is above 0, for a logarithmic axis; else NaN.
func (in Interval) Positive() Interval {
	if in.Mid > 0 {
		return in
	}
	return OfMean(nil)
}

// Below reports whether all of the interval is below 1. A single value has none, and is not.
func (in Interval) Below() bool { return in.Hi < 1 }

// Above reports whether all of the interval is above 1. A single value has none, and is not.
func (in Interval) Above() bool { return in.Lo > 1 }

// String writes a number and its interval: 12.7 (11.9 to 13.5). One over three decades, as two
// repetitions of a ratio may leave, tells nothing of the number.
func (in Interval) String() string {
	if in.Lo > 0 && in.Hi > 1000*in.Lo {
		return "not told"
	}
	return in.Write(text.Short)
}

// Percents writes a relative change: 12 % (10 % to 14 %).
func (in Interval) Percents() string { return in.Write(text.ShortShare) }

// Share writes a share of tasks or of time, which lies between none and all.
func (in Interval) Share() string {
	in.Lo, in.Hi = max(in.Lo, 0), min(in.Hi, 1)
	return in.Percents()
}

// Write says a number alone where its interval is not known, or as narrow as its digits.
func (in Interval) Write(number func(float64) string) string {
	mid, lo, hi := number(in.Mid), number(in.Lo), number(in.Hi)
	if math.IsNaN(in.Lo) || lo == hi {
		return mid
	}
	return fmt.Sprintf("%s (%s to %s)", mid, lo, hi)
}

// Row is the interval as Rows draws it.
func (in Interval) Row() charts.RowValue {
	return charts.RowValue{Mid: in.Mid, Lo: in.Lo, Hi: in.Hi}
}

// Cell is the interval in a table.
func (in Interval) Cell(number func(float64) string) shell.TableCell {
	if math.IsNaN(in.Mid) {
		return shell.Absent
	}
	cell := shell.TableCell{Text: number(in.Mid)}
	if lo, hi := number(in.Lo), number(in.Hi); !math.IsNaN(in.Lo) && lo != hi {
		cell.Below = lo + " – " + hi
	}
	return cell
}

// Alone is a value without an interval.
func Alone(v float64) Interval { return Interval{v, math.NaN(), math.NaN()} }

// Points are values without intervals.
func Points(values ...float64) (all []Interval) {
	for _, v := range values {
		all = append(all, Alone(v))
	}
	return all
}

// LastCrossing is the x at which y turns positive for good, on a logarithmic axis; NaN where it
// does not, or always was.
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
