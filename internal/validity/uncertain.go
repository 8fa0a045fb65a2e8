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

const z95 = 1.96

// The limit for a p99 response is lower than for other metrics: a p99 without a mark is within 15 %
// of the true value in 99 of 100 runs (2.576 standard errors), which corresponds to a 95 % error of
// 11.4 %.
const (
	maxError    = 0.25
	maxP99Error = 0.15 * z95 / 2.576
)

// JSON has no infinity.
const largestError = 1000

// ownMemories is the length of a run, in relaxation times, from which its stretches show its error.
const ownMemories = 50

var timesOfTasks = []struct {
	of    string
	value func(*record.Record) int64
}{
	{metric.Response, (*record.Record).Response},
	{metric.Wait, (*record.Record).Wait},
	{metric.Service, func(r *record.Record) int64 { return r.Busy }},
}

func uncertainUnits() []string {
	names := []string{metric.Mean}
	for _, q := range metric.Quantiles {
		names = append(names, q.Name)
	}
	return names
}

// MarkUncertain uses the forecast if it models this strategy exactly, otherwise the differences
// between stretches of the run. If the run is too short for stretches, the forecast for an equally
// busy strategy is a lower bound.
func (k Memory) MarkUncertain(o *observe.Run, r *result.Result, first int, own Scatter) {
	mark := func(unit string, e float64) {
		limit := maxError
		if isP99Response(unit) {
			limit = maxP99Error
		}
		if v, has := r.Metric(unit); has && v != 0 && e > limit {
			r.MarkUncertain(unit, min(e, largestError))
		}
	}
	n := float64(r.Tasks)
	classes := []string{""}
	for _, class := range observe.BothClasses {
		classes = append(classes, class.String()+"-")
	}
	for _, class := range classes {
		for _, times := range timesOfTasks {
			if class != "" && times.of != metric.Response || times.of == metric.Wait && o.Splits() {
				continue
			}
			errors := k.ownErrors(o, r, first, class, times.of, times.value)
			for i, statistic := range uncertainUnits() {
				unit := class + metric.StatisticOf(statistic, times.of)
				e, planned := k.Forecast.Error(unit, n)
				switch {
				case unit == metric.P99Response && (planned || k.Known):
					e = k.P99Error(r, own, n, k.Relax)
				case errors != nil && n >= ownMemories*k.Relax:
					e = errors[i]
				case errors != nil:
					e = max(e, errors[i])
				}
				mark(unit, e)
			}
		}
	}
}

func isP99Response(unit string) bool {
	const name = metric.P99Response
	return len(unit) >= len(name) && unit[len(unit)-len(name):] == name
}

// P99Error includes the variance estimated from the run if tasks overtake each other.
func (k Memory) P99Error(r *result.Result, own Scatter, n, relax float64) float64 {
	variance, factor := k.P99Variance(relax, waitShare(r)), false
	if e, ok := k.Forecast.Error(metric.P99Response, n); ok {
		off := math.Log1p(e)
		variance, factor = n*off*off/(z95*z95), true
	}
	if k.Reorders && !k.exact {
		variance = own.Combine(variance)
	}
	e := z95 * math.Sqrt(variance/n)
	if factor {
		return math.Expm1(e)
	}
	return e
}

// If the forecast's stretches are short compared with the relaxation time, NeededTasks returns a
// lower bound from the formula.
func (k Memory) NeededTasks(
	r *result.Result, own Scatter, share float64,
) (needed float64, ok bool) {
	const unit, least = metric.P99Response, 368
	mix := func(variance float64) float64 {
		if k.Reorders && !k.exact {
			return own.Combine(variance)
		}
		return variance
	}
	fit := mix(k.P99Variance(k.Relax, waitShare(r))) * z95 * z95 / (share * share)
	if _, has := r.Metric(unit); !has || k.Forecast == nil {
		return fit, k.Known
	}
	if e := k.Forecast.errors[unit]; e.levels != nil {
		if needed, ok = k.Forecast.tasksWithin(e.levels, share); !ok {
			return 0, true
		}
		return max(needed, k.TasksForQuantile(0.99)), true
	}
	long := 100 * k.Forecast.length
	e, ok := k.Forecast.Error(unit, long)
	if !ok {
		return 0, false
	}
	off := math.Log1p(e)
	needed = mix(long*off*off/(z95*z95)) * z95 * z95 / math.Pow(math.Log1p(share), 2)
	if k.Known && k.Forecast.length < stretchMemories*k.Relax {
		needed = max(needed, fit)
	}
	return max(needed, least), true
}

func waitShare(r *result.Result) float64 {
	wait, has := r.Metric(metric.P99Wait)
	if p99, _ := r.Metric(metric.P99Response); has && p99 > 0 {
		return wait / p99
	}
	return 1
}

// ownErrors returns nil if the forecast contains the errors or the run is too short.
func (k Memory) ownErrors(
	o *observe.Run, r *result.Result, first int, class, of string,
	value func(*record.Record) int64,
) []float64 {
	_, planned := k.Forecast.Error(class+metric.StatisticOf(metric.Mean, of), 1)
	if planned && k.exact || o.Trace == nil {
		return nil
	}
	if _, has := r.Metric(class + metric.StatisticOf("p50", of)); !has {
		return nil
	}
	var values []int64
	for _, rec := range o.Trace.From(first) {
		if rec.Outcome == record.Completed && (class == "" || rec.Class.String()+"-" == class) {
			values = append(values, value(rec))
		}
	}
	n := len(values)
	stretches := min(maxStretches, n/10)
	if stretches < 5 {
		return nil
	}
	t := statistics.Student(stretches, 0.05)
	means := make([]float64, stretches)
	for s := range means {
		stretch := observe.Stretch(values, s, stretches)
		for _, v := range stretch {
			means[s] += float64(v) / float64(len(stretch))
		}
	}
	mean, _ := observe.MeanAndSD(means)
	errors := []float64{0}
	if mean > 0 {
		errors[0] = t * observe.StandardError(means) / mean
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for _, q := range metric.Quantiles {
		at := sorted[statistics.Rank(n, q.P)-1]
		e := 0.0
		if at > 0 {
			independent := z95 * math.Sqrt(q.P*(1-q.P)/float64(n))
			edges := edgesOf(at, values, stretches, measured)
			below, above := max(t*edges[0].se, independent), max(t*edges[1].se, independent)
			low := sorted[max(int(float64(n)*(q.P-below)), 0)]
			high := sorted[min(int(math.Ceil(float64(n)*(q.P+above))), n-1)]
			e = float64(max(high-at, at-low)) / float64(at)
		}
		errors = append(errors, e)
	}
	return errors
}
