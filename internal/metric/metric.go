// Package metric defines the names of metrics and the reported quantiles. Code that measures and
// code that reads results share it.
package metric

import "strconv"

// A Quantile is reported for response, wait and service. It is the nearest rank ⌈pN⌉.
type Quantile struct {
	Name string // p99; part of metric names
	P    float64
	// Interval: report the 95 % confidence interval for the response.
	Interval bool
	// Main: report it also for sessions, steps, phases of a call and the scheduling latency.
	Main bool
}

// Quantiles are the reported quantiles, in the order of a result.
var Quantiles = []Quantile{
	{Name: "p50", P: 0.5, Interval: true, Main: true},
	{Name: "p90", P: 0.9, Interval: true},
	{Name: "p95", P: 0.95, Interval: true, Main: true},
	{Name: "p99", P: 0.99, Interval: true, Main: true},
	{Name: "p99.9", P: 0.999}, // an interval needs millions of tasks
}

// Of returns the name of the quantile of a time, such as p99-response-sec.
func (q Quantile) Of(time string) string { return q.Name + "-" + time + "-sec" }

// Low returns the name of the lower end of the quantile's interval.
func (q Quantile) Low(time string) string { return q.Name + "-" + time + "-low-sec" }

// High returns the name of the upper end.
func (q Quantile) High(time string) string { return q.Name + "-" + time + "-high-sec" }

// OfStage returns the name of a metric of one stage of the arrivals. Stages count from 1.
func OfStage(stage int, name string) string { return "stage" + strconv.Itoa(stage) + "-" + name }
