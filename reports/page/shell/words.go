package shell

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Metric returns the name of a unit: "p99 response" for p99-response-sec.
func Metric(unit string) string {
	if unit == "sec/op" {
		return "time per operation"
	}
	if short, ok := strings.CutSuffix(unit, "-sec"); ok {
		return strings.ReplaceAll(short, "-", " ")
	}
	return unit
}

// Benchmark formats the name of a benchmark: "codel_lifo, load 0.9".
func Benchmark(name string) string {
	keys := results.NameKeys(benchfmt.Name(name))
	strategy := results.Lookup(keys, "strategy")
	if strategy == "" {
		return name
	}
	return strings.Join(append([]string{results.Readable(strategy)},
		results.Words(results.Without(keys, "strategy"))...), ", ")
}

// Change formats a ratio, new to old: "34.2 % higher".
func Change(ratio float64) string {
	switch {
	case math.IsInf(ratio, 0):
		return "no longer 0"
	case ratio < 1:
		return fmt.Sprintf("%.3g %% lower", 100*(1-ratio))
	}
	return fmt.Sprintf("%.3g %% higher", 100*(ratio-1))
}

func formatWhole(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func perSecond(v float64) string { return text.Digits(v) + "/s" }

func rangeText(low, high string) string {
	if low == high {
		return low
	}
	return text.Span(low, " to ", high)
}

func atPlace(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// upper capitalises a sentence that does not begin with a name.
func upper(s string) string {
	if strings.HasPrefix(s, "at ") || strings.HasPrefix(s, "the ") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
