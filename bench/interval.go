package bench

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/records"
	"github.com/poolbench/poolbench/internal/statistics/samples"
)

// A run that has the tasks that an interval takes is cut into stretches for it, of as many tasks
// each: 10 of them, and up to 20 where they are as long then (Schmeiser, Batch size effects in the
// analysis of simulation output, 1982). Neighbouring stretches of that length are all but
// independent.
const leastStretches, mostStretches = 10, 20

// stretchesFor is how many stretches a run of n tasks is cut into; 0 where it is too short, which
// its plan decides and not how it came out.
func stretchesFor(n int, takes float64) int {
	if !(float64(n) >= takes) {
		return 0
	}
	return int(min(leastStretches*float64(n)/takes, mostStretches))
}

// reportIntervals adds the 95 % intervals of means and quantiles of the response, and of the mean
// wait, as far as the run is long enough for each.
func (o *observation) reportIntervals(r *Result, first int, k memory) {
	done := func(of func(*records.Record) int64) func(int, *records.Record) (float64, bool) {
		return func(_ int, rec *records.Record) (float64, bool) {
			return float64(of(rec)) / second, rec.Outcome == records.Completed
		}
	}
	n := o.completedFrom(first)
	if v, ok := r.Metric("mean-wait-sec"); ok && v > 0 && !o.splits() {
		o.reportMean(r, "mean-wait", first, stretchesFor(n, k.takesMeanWait()),
			done((*records.Record).Wait))
	}
	if _, ok := r.Metric("mean-response-sec"); ok {
		o.reportMean(r, "mean-response", first, stretchesFor(n, k.takesMeanResponse()),
			done((*records.Record).Response))
	}
	o.reportQuantiles(r, first, n, k)
}

func (o *observation) completedFrom(first int) (n int) {
	for i := first; i < o.trace.Len(); i++ {
		if o.trace.At(i).Outcome == records.Completed {
			n++
		}
	}
	return n
}

// reportMean adds the interval of a mean, and how many independent values would tell it as well.
func (o *observation) reportMean(
	r *Result, name string, first, stretches int, value func(int, *records.Record) (float64, bool),
) {
	if stretches == 0 {
		return
	}
	means, n := o.stretchMeans(first, stretches, value)
	low, high, se := meanInterval(means)
	if se == 0 {
		return // the same in all
	}
	r.add(name+"-low-sec", max(low, 0))
	r.add(name+"-high-sec", high)
	if name != "mean-wait" {
		return
	}
	mean, square := 0.0, 0.0
	for _, v := range means {
		mean += v / float64(len(means))
	}
	for i := first; i < o.trace.Len(); i++ {
		if v, counts := value(i, o.trace.At(i)); counts {
			square += (v - mean) * (v - mean)
		}
	}
	r.add(name+"-ess", min(square/float64(n)/(se*se), float64(n)))
}

// meanInterval is the 95 % interval of a mean by those of stretches of the run, and the standard
// error. Stretches of a queue are skewed, as are the waits in them, which Student's t does not know
// of: its quantiles are turned by Hall's (On the removal of skewness by transformation, 1992).
func meanInterval(means []float64) (low, high, se float64) {
	mean, sd := meanAndSD(means)
	n := float64(len(means))
	if se = standardError(means); se == 0 {
		return mean, mean, 0
	}
	third := 0.0
	for _, v := range means {
		third += math.Pow((v-mean)/sd, 3) / n
	}
	t := samples.Student(len(means), 0.05)
	return mean - unskewed(t, third, n)*se, mean - unskewed(-t, third, n)*se, se
}

// unskewed is the quantile of the studentised mean of n values of that skewness whose normal one is
// z.
func unskewed(z, skewness, n float64) float64 {
	b := skewness / (6 * math.Sqrt(n))
	if math.Abs(b) < 1e-6 {
		return z
	}
	return (math.Cbrt(1+6*b*(z-b)) - 1) / (2 * b)
}

// reportQuantiles adds the intervals of the quantiles of the response: that of the share of tasks
// beyond the quantile, turned back into responses. It has no less than independent tasks would
// leave. A response that many tasks have in common, as that of constant tasks which do not wait, is
// known without an interval.
func (o *observation) reportQuantiles(r *Result, first, n int, k memory) {
	type end struct {
		unit string
		rank int
	}
	var ends []end
	for _, q := range quantiles[:3] { // a p99.9 takes millions
		v, ok := r.Metric(q.name + "-response-sec")
		stretches := stretchesFor(n, k.takesQuantile(q.p))
		if !ok || stretches == 0 {
			continue
		}
		at := int64(math.Round(v * second))
		shares, _ := o.stretchMeans(first, stretches,
			func(_ int, rec *records.Record) (float64, bool) {
				if rec.Response() > at {
					return 1, rec.Outcome == records.Completed
				}
				return 0, rec.Outcome == records.Completed
			})
		independent := math.Sqrt(q.p * (1 - q.p) / float64(n))
		se := standardError(shares)
		half := max(samples.Student(stretches, 0.05)*se, 1.96*independent)
		unit := q.name + "-response"
		ends = append(ends,
			end{unit + "-low-sec", max(int(math.Floor(float64(n)*(q.p-half))), 1)},
			end{unit + "-high-sec", min(int(math.Ceil(float64(n)*(q.p+half)))+1, n)})
		if q.p == 0.99 {
			ess := independent / max(se, independent)
			r.add("p99-response-ess", float64(n)*ess*ess)
		}
	}
	if len(ends) == 0 {
		return
	}
	values := make([]int64, 0, n)
	for i := first; i < o.trace.Len(); i++ {
		if rec := o.trace.At(i); rec.Outcome == records.Completed {
			values = append(values, rec.Response())
		}
	}
	var shares []float64
	for _, e := range ends {
		shares = append(shares, float64(e.rank)/float64(n))
	}
	slices.Sort(shares)
	found := samples.NearestRanks(nil, values, shares...)
	at := func(rank int) float64 {
		i, _ := slices.BinarySearch(shares, float64(rank)/float64(n))
		return float64(found[i]) / second
	}
	for i := 0; i < len(ends); i += 2 {
		if low, high := at(ends[i].rank), at(ends[i+1].rank); low < high {
			r.add(ends[i].unit, low)
			r.add(ends[i+1].unit, high)
		}
	}
}

// stretchMeans averages a value over each of so many stretches of the run, in the order of the due
// times, of as many of the n tasks that count each.
func (o *observation) stretchMeans(
	first, stretches int, value func(i int, rec *records.Record) (v float64, counts bool),
) (means []float64, n int) {
	for i := first; i < o.trace.Len(); i++ {
		if _, counts := value(i, o.trace.At(i)); counts {
			n++
		}
	}
	means = make([]float64, stretches)
	size := make([]float64, stretches)
	at := 0
	for i := first; i < o.trace.Len(); i++ {
		if v, counts := value(i, o.trace.At(i)); counts {
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

// standardError is that of the mean of stretches, which neighbours that are alike widen. The
// correlation of so few scatters by ±0.3 where there is none: half of it counts.
func standardError(x []float64) float64 {
	mean, sd := meanAndSD(x)
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
