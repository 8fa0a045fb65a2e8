package sessions

import (
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// Metrics calls add with what sessions and their steps come to, in the units that
// observe.SessionMetrics and observe.StepMetrics document.
func (t *Tally) Metrics(add func(unit string, value float64)) {
	of := func(unit string, value float64) { add(metric.Sessions+unit, value) }
	of(metric.Count, float64(t.Begun))
	t.Response.metrics(metric.Response, t.Begun, of)
	t.Service.metrics(metric.Service, t.Begun, of)
	t.Length.metrics("length", 0, of)
	t.Outcomes.metrics(t.Begun, of)
	for i := range t.Steps {
		s := &t.Steps[i]
		of := func(unit string, value float64) { add(metric.OfStep(i+1, s.Name, unit), value) }
		n := s.Outcomes.Sum()
		of(metric.Count, float64(n))
		s.Response.metrics(metric.Response, n, of)
		s.Service.metrics(metric.Service, n, of)
		s.Outcomes.metrics(n, of)
		if t.Begun > 0 {
			of(metric.Unsent, float64(s.Unsent)/float64(t.Begun))
		}
	}
}

// metrics are shares of so many.
func (o *Outcomes) metrics(n int, add func(unit string, value float64)) {
	if n == 0 {
		return
	}
	add(metric.Shed, float64(o[record.Shed])/float64(n))
	add(metric.Failed,
		float64(o[record.Failed]+o[record.Throttled]+o[record.Abandoned])/float64(n))
}

// metrics calls add with the mean and the quantiles of a time and, unless due is 0, with those over
// so many that were due.
func (t *Times) metrics(of string, due int, add func(unit string, value float64)) {
	h, mean := t.Histogram()
	if h == nil {
		return
	}
	const second = 1e9
	add(metric.StatisticOf(metric.Mean, of), mean/second)
	n := int(h.TotalCount())
	at := func(rank int) int64 { return result.ValueAtRank(h, rank) }
	for _, q := range metric.Quantiles {
		if q.Main && statistics.Resolvable(q.P, n) {
			add(q.Of(of), float64(at(statistics.Rank(n, q.P)))/second)
		}
	}
	if due > 0 {
		result.EachDue(due, n, of, at, func(unit string, v float64) {
			for _, q := range metric.Quantiles {
				if q.Main && unit == decide.Due+q.Of(of) {
					add(unit, v)
				}
			}
		})
	}
}
