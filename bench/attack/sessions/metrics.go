package sessions

import (
	"maps"
	"slices"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
)

// Metrics calls add with the metrics of sessions and steps. spell formats a status.
func (t *Tally) Metrics(spell func(status int) string, add func(unit string, value float64)) {
	of := func(unit string, value float64) { add(metric.Sessions+unit, value) }
	of(metric.Count, float64(t.Begun))
	t.Response.metrics(metric.Response, t.Begun, of)
	t.Service.metrics(metric.Service, t.Begun, of)
	t.Length.metrics("length", 0, of)
	t.Outcomes.metrics(t.Begun, of)
	for i := range t.Steps {
		s := &t.Steps[i]
		of := func(unit string, value float64) { add(StepPrefix(i, s.Name)+unit, value) }
		s.Metrics(spell, of)
		if t.Begun > 0 {
			of(metric.Unsent, float64(s.Unsent)/float64(t.Begun))
		}
	}
}

// Metrics calls add with the metrics of the requests, in units without prefix.
func (r *Row) Metrics(spell func(status int) string, add func(unit string, value float64)) {
	n := r.Outcomes.Sum()
	add(metric.Count, float64(n))
	r.Response.metrics(metric.Response, n, add)
	r.Service.metrics(metric.Service, n, add)
	r.Outcomes.metrics(n, add)
	if n == 0 {
		return
	}
	add(metric.SentBytes, float64(r.Sent)/float64(n))
	add(metric.ReceivedBytes, float64(r.Received)/float64(n))
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		add(metric.OfStatus(spell(status)), float64(r.Statuses[status])/float64(n))
	}
}

// StepPrefix returns the prefix of a step's units. step counts from 0.
func StepPrefix(step int, name string) string { return metric.OfStep(step+1, name, "") }

func (o *Outcomes) metrics(n int, add func(unit string, value float64)) {
	if n == 0 {
		return
	}
	add(metric.Shed, float64(o[record.Shed])/float64(n))
	add(metric.Failed,
		float64(o[record.Failed]+o[record.Throttled]+o[record.Abandoned])/float64(n))
}

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
			add(q.Unit(of), float64(at(statistics.Rank(n, q.P)))/second)
		}
	}
	if due > 0 {
		result.EachDue(due, n, of, at, func(unit string, v float64) {
			for _, q := range metric.Quantiles {
				if q.Main && unit == decide.Due+q.Unit(of) {
					add(unit, v)
				}
			}
		})
	}
}
