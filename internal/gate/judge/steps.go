package judge

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/statistics"
)

// rounds matches units of continuous measurements, whose values may have been rounded. Integers in
// other units are counts, and so are all values per op.
var (
	rounds = lazyregexp.New(
		`(?i)(^|[^a-z])(ns|us|µs|ms|s|sec|secs|seconds?|min|minutes?|h|hours?|p\d+(\.\d+)?|q\d+|mean|avg|average|median|latency|time|duration|delay|lag|wait|jitter|percent|pct)([^a-z]|$)|%`)
	perOp = lazyregexp.New(`/op$`)
)

// digits is the precision at which values are compared. The conversion from ns to s causes smaller
// errors.
const digits = 12

// stepOf returns the rounding or counting unit: the largest number of which all differences of the
// values are multiples. If neither side varies it is the place of the last non-zero digit of both,
// but at most one, because 300 may be a rounded 298, and 3 and 6 do not imply steps of 3.
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

type rounding struct {
	log float64 // logarithm of 1 + step / smaller median
	// a side varies so little that a step between the sides may be almost no change
	still bool
}

const finest = 0.1

// roundingOf determines the step of both sides together. A rounded value is off by at most half a
// step. If the values scatter by more than that, rounding only adds noise and the test remains
// valid. Otherwise 3 and 4 may be 3.49 and 3.51, or 2.6 and 4.4.
func (o Options) roundingOf(m Metric, base, head []float64) rounding {
	all := slices.Concat(base, head)
	if m.Full || axis(m.Benchmark, "clock") == "virtual" || slices.Max(all) <= 0 ||
		!rounds.MatchString(m.Unit) &&
			(perOp.MatchString(m.Unit) || !slices.ContainsFunc(all, fraction)) {
		return rounding{}
	}
	least := min(statistics.Median(base), statistics.Median(head))
	if least == 0 { // 0 is a multiple of every step
		return rounding{}
	}
	one := 1.0
	switch {
	case strings.Contains(m.Unit, "sec"):
		one = 1e-9
	case m.Unit == "B/s" && least >= 1e4:
		// benchunit converts MB/s, which package testing prints with two decimals
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

func (r rounding) over(threshold float64) float64 {
	if r.still {
		return threshold + r.log
	}
	return threshold
}

func (e *Evidence) round(r rounding) {
	e.Step = r.log
	e.Low, e.High = e.Low-r.log, e.High+r.log
}
