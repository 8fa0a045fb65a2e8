// Package metric defines the names of metrics and the reported quantiles. It is shared by the code
// that measures and the code that reads results.
package metric

import "strconv"

// A Quantile is reported for response, wait and service. Its value is the one of rank ⌈PN⌉ among N.
type Quantile struct {
	Name string // part of metric names, such as p99
	P    float64
	// Interval: also report its 95 % confidence interval for the response.
	Interval bool
	// Main: also report it for sessions, steps, phases of a call and the scheduling latency.
	Main bool
}

// Quantiles contains the reported quantiles, in the order of a result.
var Quantiles = []Quantile{
	{Name: "p50", P: 0.5, Interval: true, Main: true},
	{Name: "p90", P: 0.9, Interval: true},
	{Name: "p95", P: 0.95, Interval: true, Main: true},
	{Name: "p99", P: 0.99, Interval: true, Main: true},
	{Name: "p99.9", P: 0.999},
}

// Of returns the name of the quantile of a time, such as p99-response-sec.
func (q Quantile) Of(time string) string { return q.Name + "-" + time + "-sec" }

// Low returns the name of the lower end of the quantile's interval.
func (q Quantile) Low(time string) string { return q.Name + "-" + time + "-low-sec" }

// High returns the name of the upper end of the quantile's interval.
func (q Quantile) High(time string) string { return q.Name + "-" + time + "-high-sec" }

// OfStage returns the name of a metric of one stage of the arrivals. The first stage is 1.
func OfStage(stage int, name string) string { return "stage" + strconv.Itoa(stage) + "-" + name }
