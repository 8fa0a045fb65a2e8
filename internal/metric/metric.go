// Package metric has the names of metrics and the quantiles that a run reports. The code that
// measures and the code that reads results both import it.
package metric

import "strconv"

// A Quantile is reported of the response, the wait and the service. It is the nearest rank ⌈pN⌉.
type Quantile struct {
	Name string // p99; part of the names of metrics
	P    float64
	// Interval is whether a run reports the 95 % confidence interval of the quantile of the
	// response.
	Interval bool
	// Main is whether the quantile is also reported of sessions and steps, of the phases of a
	// call and of the scheduling latency.
	Main bool
}

// Quantiles are the reported quantiles, in the order in which a result has them.
var Quantiles = []Quantile{
	{Name: "p50", P: 0.5, Interval: true, Main: true},
	{Name: "p90", P: 0.9, Interval: true},
	{Name: "p95", P: 0.95, Interval: true, Main: true},
	{Name: "p99", P: 0.99, Interval: true, Main: true},
	{Name: "p99.9", P: 0.999}, // an interval needs millions of tasks
}

// Of returns the name of the quantile of a time, such as p99-response-sec.
func (q Quantile) Of(time string) string { return q.Name + "-" + time + "-sec" }

// Low returns the name of the lower end of the quantile's interval of a time.
func (q Quantile) Low(time string) string { return q.Name + "-" + time + "-low-sec" }

// High returns the name of the upper end.
func (q Quantile) High(time string) string { return q.Name + "-" + time + "-high-sec" }

// OfStage returns the name of a metric of one stage of the arrivals, numbered from 1.
func OfStage(stage int, name string) string { return "stage" + strconv.Itoa(stage) + "-" + name }
