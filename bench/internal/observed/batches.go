package observed

import (
	"math"

	"github.com/poolbench/poolbench/bench/records"
)

// StretchMeans averages a value over each of so many stretches of the run, in the order of the due
// times, of as many of the n tasks that count each.
func (o *Run) StretchMeans(
	first, stretches int, value func(i int, rec *records.Record) (v float64, counts bool),
) (means []float64, n int) {
	for i := first; i < o.Trace.Len(); i++ {
		if _, counts := value(i, o.Trace.At(i)); counts {
			n++
		}
	}
	means = make([]float64, stretches)
	size := make([]float64, stretches)
	at := 0
	for i := first; i < o.Trace.Len(); i++ {
		if v, counts := value(i, o.Trace.At(i)); counts {
			s := at * stretches / n
			means[s] += v
			size[s]++
			at++
		}
	}
	for s := range means {
		means[s] /= size[s]
	}
	return means, n
}

// StandardError is that of the mean of stretches, which neighbours that are alike widen. The
// correlation of so few scatters by ±0.3 where there is none: half of it counts.
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

// Batches is how many a run is divided into, of tasks, in the order of their due times, that each
// half has enough to tell its spread and each batch is long against the memory of the queue (20 to
// 30 batches: Schmeiser, Batch size effects in the analysis of simulation output, 1982).
const Batches = 20

// BatchMeans averages a value over each of the batches, of as many tasks that count each; ok is
// false where they would hold fewer than 10.
func (o *Run) BatchMeans(
	first int, value func(i int, rec *records.Record) (v float64, counts bool),
) (means [Batches]float64, ok bool) {
	all, n := o.StretchMeans(first, Batches, value)
	copy(means[:], all)
	return means, n >= 10*Batches
}

// MeanAndSD are the mean of values and their standard deviation.
func MeanAndSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}
