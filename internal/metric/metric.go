// Package metric defines the names of metrics and the reported quantiles, for the code that
// measures and the code that reads results.
package metric

import (
	"strconv"
	"strings"
)

// A Quantile is the value of rank ⌈PN⌉ among N responses, waits or services.
type Quantile struct {
	Name string // part of metric names, such as p99
	P    float64
	// also report its 95 % confidence interval for the response
	Interval bool
	// also report it for sessions, steps, phases of a call and the scheduling latency
	Main bool
}

var Quantiles = []Quantile{
	{Name: "p50", P: 0.5, Interval: true, Main: true},
	{Name: "p90", P: 0.9, Interval: true},
	{Name: "p95", P: 0.95, Interval: true, Main: true},
	{Name: "p99", P: 0.99, Interval: true, Main: true},
	{Name: "p99.9", P: 0.999},
}

// Unit returns, for example, p99-response-sec.
func (q Quantile) Unit(time string) string { return q.Name + "-" + time + "-sec" }

func (q Quantile) Low(time string) string { return q.Name + "-" + time + "-low-sec" }

func (q Quantile) High(time string) string { return q.Name + "-" + time + "-high-sec" }

// The first stage is 1.
func OfStage(stage int, name string) string { return "stage" + strconv.Itoa(stage) + "-" + name }

// WithMean returns the mean in place of a percentile: mean-response-sec for p99-response-sec. It
// returns other units unchanged.
func WithMean(unit string) string {
	for _, q := range Quantiles {
		if rest, ok := strings.CutPrefix(unit, q.Name+"-"); ok {
			return Mean + "-" + rest
		}
	}
	return unit
}
