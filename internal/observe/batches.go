package observe

import (
	"math"

	"github.com/poolbench/poolbench/bench/record"
)

// Stretches have equal numbers of counted tasks. The result is valid until the next call.
func (o *Run) StretchMeans(
	first, stretches int, value func(i int, rec *record.Record) (v float64, counts bool),
) (means, values []float64) {
	if len(o.scratch) < o.Trace.Len()-first {
		o.scratch = make([]float64, o.Trace.Len()-first)
	}
	values = o.scratch
	n := 0
	for i, rec := range o.Trace.From(first) {
		v, counts := value(i, rec)
		if values[n] = v; counts {
			n++
		}
	}
	values = values[:n]
	means = make([]float64, stretches)
	for s := range means {
		stretch := Stretch(values, s, stretches)
		sum := 0.0
		for _, v := range stretch {
			sum += v
		}
		means[s] = sum / float64(len(stretch))
	}
	return means, values
}

func Stretch[V any](values []V, s, stretches int) []V {
	begin := func(s int) int { return (s*len(values) + stretches - 1) / stretches }
	return values[begin(s):begin(s+1)]
}

// StandardError returns the standard error of the mean of stretches, widened by the correlation of
// neighbours. The estimated correlation of so few stretches has a standard error of 0.3, so only
// half of it is used.
func StandardError(x []float64) float64 {
	mean, sd := MeanAndSD(x)
	product, square := 0.0, 0.0
	for i, v := range x {
		square += (v - mean) * (v - mean)
		if i > 0 {
			product += (v - mean) * (x[i-1] - mean)
		}
	}
	if square == 0 {
		return 0
	}
	correlation := min(max(product/square, 0), 0.9) / 2
	return sd / math.Sqrt(float64(len(x))) * math.Sqrt((1+correlation)/(1-correlation))
}

// Batches is enough to estimate the spread within each half, and few enough that a batch is long
// compared with the relaxation time of the queue (20 to 30 batches: Schmeiser, Batch size effects
// in the analysis of simulation output, 1982).
const Batches = 20

// BatchMeans also returns the number n of counted tasks. ok is false below 10 tasks per batch.
func (o *Run) BatchMeans(
	first int, value func(i int, rec *record.Record) (v float64, counts bool),
) (means [Batches]float64, n int, ok bool) {
	all, values := o.StretchMeans(first, Batches, value)
	copy(means[:], all)
	n = len(values)
	return means, n, n >= 10*Batches
}

func MeanAndSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}
