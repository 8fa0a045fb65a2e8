package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Seconds formats a time with at most four significant digits: 250 µs, 1.5 ms, 12 d.
func Seconds(s float64) string {
	if s == 0 {
		return "0 s"
	}
	for _, u := range []struct {
		size float64
		name string
		// smallest value with this unit, after rounding to four digits
		from float64
	}{{86400, "d", 2 * 86400}, {3600, "h", 0.99995e5}, {1, "s", 0.99995}, {1e-3, "ms", 0.99995e-3},
		{1e-6, "µs", 0.99995e-6}} {
		if math.Abs(s) >= u.from {
			return fourDigits(s/u.size) + " " + u.name
		}
	}
	return fourDigits(s/1e-9) + " ns"
}

// Count formats a number or a rate with at most four significant digits: 0.5, 1.25k, 3M.
func Count(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.size*0.99995 {
			return fourDigits(v/u.size) + u.name
		}
	}
	return fourDigits(v)
}

func fourDigits(v float64) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil || math.Abs(r) >= 1e7 || r != 0 && math.Abs(r) < 1e-6 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}

type logTicks func(float64) string

func (format logTicks) Ticks(lo, hi float64) []plot.Tick {
	return fixedTicks{logMarks(lo, hi), format}.Ticks(lo, hi)
}

func logMarks(lo, hi float64) (marks []float64) {
	decades := math.Log10(hi / lo)
	var within []float64
	every := 1
	switch {
	case decades > 2.2:
		within = []float64{1}
		every = int(math.Ceil(decades / 7))
	case decades > 0.9:
		within = []float64{1, 2, 5}
	case decades > 0.4:
		within = []float64{1, 1.5, 2, 3, 4, 5, 7}
	default:
		return linearMarks(lo, hi, 5)
	}
	first := int(math.Floor(math.Log10(lo))) - 1
	last := int(math.Ceil(math.Log10(hi))) + 1
	for d := first; d <= last; d++ {
		if d%every != 0 {
			continue
		}
		for _, m := range within {
			v := m * math.Pow10(d)
			switch {
			case v <= lo*(1+1e-9):
				marks = append(marks[:0], v) // the last value at or below lo is the first mark
			case v >= hi*(1-1e-9):
				return append(marks, v)
			default:
				marks = append(marks, v)
			}
		}
	}
	return marks
}

type linearTicks struct {
	format func(float64) string
	count  int
}

func (t linearTicks) Ticks(lo, hi float64) (ticks []plot.Tick) {
	slack := (hi - lo) * 1e-9
	for _, v := range linearMarks(lo, hi, t.count) {
		if v >= lo-slack && v <= hi+slack {
			ticks = append(ticks, plot.Tick{Value: v, Label: t.format(v)})
		}
	}
	return ticks
}

func linearMarks(lo, hi float64, count int) (marks []float64) {
	raw := (hi - lo) / float64(count)
	if raw <= 0 {
		return []float64{lo}
	}
	size := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * size
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*size >= raw*(1-1e-9) {
			step = m * size
			break
		}
	}
	// Multiples avoid the rounding errors of sums. The loop ends even if the step is below the
	// resolution of a float64.
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	for i := range 2*count + 3 {
		n := first + float64(i)
		if n > last {
			break
		}
		marks = append(marks, n*step)
	}
	return marks
}

func logRange(lo, hi float64) (float64, float64) {
	if hi/lo < 1.02 {
		lo, hi = lo/1.2, hi*1.2
	}
	if math.Log10(hi/lo) <= 0.9 { // 1, 2, 5 are too far apart here
		marks := logMarks(lo, hi)
		return marks[0], marks[len(marks)-1]
	}
	below, _ := neighbours(lo)
	_, above := neighbours(hi)
	return below, above
}

// neighbours returns the nearest values of the form 1, 2 or 5 times a power of ten.
func neighbours(v float64) (below, above float64) {
	decade := math.Pow10(int(math.Floor(math.Log10(v))) - 1)
	below = decade
	for _, m := range []float64{10, 20, 50, 100, 200} {
		// start one decade lower, in case the logarithm was rounded up
		switch {
		case m*decade <= v*(1+1e-9):
			below = m * decade
			if m*decade >= v*(1-1e-9) {
				return below, below
			}
		default:
			return below, m * decade
		}
	}
	return below, 500 * decade
}

// The range includes 0, since readers compare lengths.
func linearRange(lo, hi float64) (float64, float64) {
	lo = min(lo, 0)
	if hi <= lo {
		hi = lo + 1
	}
	marks := linearMarks(lo, hi, 5)
	return marks[0], marks[len(marks)-1]
}

const zeroGap = 0.12

// A zeroScale is logarithmic from low upwards, with 0 at its left end.
type zeroScale struct{ low float64 }

func (s zeroScale) Normalize(_, hi, x float64) float64 {
	if x <= 0 {
		return 0
	}
	return zeroGap + (1-zeroGap)*math.Log(x/s.low)/math.Log(hi/s.low)
}
