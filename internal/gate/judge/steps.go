package judge

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/statistics"
)

// rounds recognises by their words the units of what is measured on a scale, and so may have been
// rounded: times, rates, quantiles and means. A whole number of anything else is a count, as is all
// that is said per op.
var (
	rounds = regexp.MustCompile(
		`(?i)(^|[^a-z])(ns|us|µs|ms|s|sec|secs|seconds?|min|minutes?|h|hours?|p\d+(\.\d+)?|q\d+|mean|avg|average|median|latency|time|duration|delay|lag|wait|jitter|percent|pct)([^a-z]|$)|%`)
	perOp = regexp.MustCompile(`/op$`)
)

// digits is to how many of them values are looked at: what a conversion from ns to s leaves behind
// lies below.
const digits = 12

// stepOf is the largest number of which all differences of the values are multiples: what they were
// rounded to, or counted in. Where no side varies by itself it is the place of the last digit that
// is not 0 in either, or that of whole numbers, since nobody knows whether 300 was 298: 3 and 6 say
// nothing of steps of 3. It is 0 where there are none but zeros.
func stepOf(base, head []float64, one float64) float64 {
	most := max(slices.Max(base), slices.Max(head))
	if most <= 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(most))-(digits-1))
	whole := func(v float64) int { return int(math.Round(v / unit)) }
	step := 0
	for _, side := range [][]float64{base, head} {
		for _, v := range side {
			step = gcd(step, whole(v)-whole(side[0]))
		}
	}
	if step != 0 {
		return math.Abs(float64(gcd(step, whole(head[0])-whole(base[0])))) * unit
	}
	for step = 1; whole(base[0])%(10*step) == 0 && whole(head[0])%(10*step) == 0; step *= 10 {
	}
	return min(one, float64(step)*unit)
}

// rounding is what rounding may hide of a metric with these values.
type rounding struct {
	log float64 // a step beside the smaller of the medians, as a logarithm
	// the values of a side are so much alike that a step between the sides may be next to nothing
	still bool
}

// finest is the share of the margin below which a step is none.
const finest = 0.1

// roundingOf looks for the step of both sides together. Values that are printed in full are not
// rounded, nor are counts, nor times of the virtual clock, which are exact however short they look;
// and in the Go benchmark format 0 is 0.
//
// What is rounded differs from what it was by half a step at most, so that a difference is known to
// a step. Where values scatter by more than half a step, as rounding then only adds to their noise,
// a test of whether one side is larger still holds; where they do not, a change of a step is 3.49
// and 3.51 as well as 2.6 and 4.4.
func (o Options) roundingOf(m Metric, base, head []float64) rounding {
	all := slices.Concat(base, head)
	if m.Full || axis(m.Benchmark, "clock") == "virtual" || slices.Max(all) <= 0 ||
		!rounds.MatchString(m.Unit) &&
			(perOp.MatchString(m.Unit) || !slices.ContainsFunc(all, fraction)) {
		return rounding{}
	}
	least := min(statistics.Median(base), statistics.Median(head))
	if least == 0 { // of which nothing is a multiple
		return rounding{}
	}
	one := 1.0
	switch {
	case strings.Contains(m.Unit, "sec"): // as benchunit tidies ns
		one = 1e-9
	case m.Unit == "B/s" && least >= 1e4:
		// as it tidies MB/s, of which package testing prints two decimals
		one = 1e4
	}
	step := stepOf(base, head, one)
	r := rounding{math.Log1p(step / least),
		min(stat.StdDev(base, nil), stat.StdDev(head, nil)) < step/2}
	if r.log < finest*o.margin() {
		return rounding{}
	}
	return r
}

func fraction(v float64) bool { return v != math.Trunc(v) }

// over is a threshold that a change must exceed to be known to exceed the one given.
func (r rounding) over(threshold float64) float64 {
	if r.still {
		return threshold + r.log
	}
	return threshold
}

// round widens the interval of the evidence by a step on either side.
func (e *Evidence) round(r rounding) {
	e.Step = r.log
	e.Low, e.High = e.Low-r.log, e.High+r.log
}
