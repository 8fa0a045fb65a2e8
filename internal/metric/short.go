package metric

import (
	"slices"
	"strings"
)

// Short returns the usual name of a metric: its unit without the unit of measurement.
func Short(unit string) string {
	if unit == Throughput {
		return "throughput"
	}
	for _, suffix := range []string{"-ops/s", "-sec/op", "/op", "-sec"} {
		if name, ok := strings.CutSuffix(unit, suffix); ok {
			return name
		}
	}
	return unit
}

// ExpandQuantile returns the short name that a percentile alone means: p99-response for p99.
func ExpandQuantile(name string) string {
	if slices.ContainsFunc(Quantiles, func(q Quantile) bool { return q.Name == name }) {
		return name + "-" + Response
	}
	return name
}
