package validity

import (
	"math"
	"slices"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/statistics"
)

// Numbers of stretches for batch means (Schmeiser, Batch size effects in the analysis of simulation
// output, 1982).
const minStretches, maxStretches = 10, 20

// stretchesFor returns 0 if the run is too short.
func stretchesFor(n int, takes float64) int {
	if !(float64(n) >= takes) {
		return 0
	}
	return int(min(minStretches*float64(n)/takes, maxStretches))
}

// ReportIntervals returns the sampling variance of the p99 estimated from the run if tasks may
// overtake each other.
func ReportIntervals(o *observe.Run, r *result.Result, first int, k Memory) (own Scatter) {
	done := func(of func(*record.Record) int64) func(int, *record.Record) (float64, bool) {
		return func(_ int, rec *record.Record) (float64, bool) {
			return float64(of(rec)) / observe.Second, rec.Outcome == record.Completed
		}
	}
	responses := responsesFrom(o, first)
	n := len(responses)
	if v, ok := r.Metric(metric.MeanWait); ok && v > 0 && !o.Splits() {
		reportMean(o, r, metric.MeanWait, first, stretchesFor(n, k.TasksForMeanWait()), k,
			done((*record.Record).Wait))
	}
	if _, ok := r.Metric(metric.MeanResponse); ok {
		reportMean(o, r, metric.MeanResponse, first, stretchesFor(n, k.tasksForMeanResponse()), k,
			done((*record.Record).Response))
	}
	if p99, ok := r.Metric(metric.P99Response); ok && k.Reorders {
		own = scatterOf(p99, responses)
	}
	reportQuantiles(r, responses, k, own)
	return own
}

func responsesFrom(o *observe.Run, first int) []int64 {
	responses := make([]int64, 0, o.Trace.Len()-first)
	for _, rec := range o.Trace.From(first) {
		if rec.Outcome == record.Completed {
			responses = append(responses, rec.Response())
		}
	}
	return responses
}

// minOfPlan is the smallest width of an interval relative to the forecast. The bursts of one run
// may be similar by chance, which would make the interval too narrow.
const minOfPlan = 0.85

func reportMean(
	o *observe.Run, r *result.Result, unit string, first, stretches int, k Memory,
	value func(int, *record.Record) (float64, bool),
) {
	if stretches == 0 {
		return
	}
	means, values := o.StretchMeans(first, stretches, value)
	low, high, se := MeanInterval(means)
	if e, ok := k.Forecast.Error(unit, float64(len(values))); ok && k.exact && k.bursty {
		mean, _ := r.Metric(unit)
		e *= minOfPlan
		low, high = min(low, mean/(1+e)), max(high, mean*(1+e))
	}
	if se > 0 {
		r.Add(metric.Low(unit), max(low, 0))
		r.Add(metric.High(unit), high)
	}
	if unit != metric.MeanWait {
		return
	}
	mean, _ := observe.MeanAndSD(means)
	square := 0.0
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	ess := float64(len(values)) // all values are equal if se is 0
	if se > 0 {
		ess = min(square/ess/(se*se), ess)
	}
	r.Add(metric.ESS(unit), ess)
}

// MeanInterval corrects Student's quantiles for skewness by Hall's transformation (On the removal
// of skewness by transformation, 1992).
func MeanInterval(means []float64) (low, high, se float64) {
	mean, sd := observe.MeanAndSD(means)
	n := float64(len(means))
	if se = observe.StandardError(means); se <= 1e-12*mean { // equal except for rounding
		return mean, mean, 0
	}
	third := 0.0
	for _, v := range means {
		third += math.Pow((v-mean)/sd, 3) / n
	}
	t := statistics.Student(len(means), 0.05)
	return mean - unskewed(t, third, n)*se, mean - unskewed(-t, third, n)*se, se
}

// unskewed returns the quantile of the studentised mean of n skewed values that corresponds to the
// quantile z of a symmetric distribution.
func unskewed(z, skewness, n float64) float64 {
	b := skewness / (6 * math.Sqrt(n))
	if math.Abs(b) < 1e-6 {
		return z
	}
	return (math.Cbrt(1+6*b*(z-b)) - 1) / (2 * b)
}

// reportQuantiles converts intervals of the share of tasks beyond each quantile to responses. They
// are at least as wide as for independent tasks. If both ends are the same value, which many tasks
// have, there is no interval.
// reportQuantiles reorders responses.
func reportQuantiles(r *result.Result, responses []int64, k Memory, own Scatter) {
	type end struct {
		unit string
		rank int
	}
	var ends []end
	n := len(responses)
	for _, q := range metric.Quantiles {
		if !q.Interval {
			continue
		}
		v, ok := r.Metric(q.Unit(metric.Response))
		stretches := stretchesFor(n, k.TasksForQuantile(q.P))
		if q.P == 0.99 && stretches == 0 && k.sheds && own.Suffices() {
			stretches = maxStretches // shedding shortens the relaxation time
		}
		if !ok || stretches == 0 {
			continue
		}
		at := int64(math.Round(v * observe.Second))
		independent := math.Sqrt(q.P * (1 - q.P) / float64(n))
		edges, t := edgesOf(at, responses, stretches, measured), statistics.Student(stretches, 0.05)
		if planned, ok := k.Forecast.edgesFor(q, at, float64(n)); ok && k.exact {
			edges, t = planned, statistics.Student(k.Forecast.count, 0.05)
		}
		below := max(t*edges[0].se, z95*independent)
		above := max(t*edges[1].se, z95*independent)
		ends = append(ends,
			end{q.Low(metric.Response), max(int(math.Floor(float64(n)*(q.P-below))), 1)},
			end{q.High(metric.Response), min(int(math.Ceil(float64(n)*(q.P+above)))+1, n)})
		if q.P == 0.99 {
			r.Add(metric.P99ResponseESS, float64(n)*min(edges[0].independence(float64(n)),
				edges[1].independence(float64(n))))
		}
	}
	if len(ends) == 0 {
		return
	}
	var shares []float64
	for _, e := range ends {
		shares = append(shares, float64(e.rank)/float64(n))
	}
	slices.Sort(shares)
	found := statistics.NearestRanks(nil, responses, shares...)
	at := func(rank int) float64 {
		i, _ := slices.BinarySearch(shares, float64(rank)/float64(n))
		return float64(found[i]) / observe.Second
	}
	for i := 0; i < len(ends); i += 2 {
		if low, high := at(ends[i].rank), at(ends[i+1].rank); low < high {
			r.Add(ends[i].unit, low)
			r.Add(ends[i+1].unit, high)
		}
	}
}

func sharesBeyond(than int64, responses []int64, stretches int) []float64 {
	shares := make([]float64, stretches)
	for s := range shares {
		stretch := observe.Stretch(responses, s, stretches)
		beyond := 0
		for _, v := range stretch {
			if v > than {
				beyond++
			}
		}
		shares[s] = float64(beyond) / float64(len(stretch))
	}
	return shares
}
