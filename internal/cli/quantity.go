package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// seconds spells a time in three digits and the unit that suits it: 68.9 ms, 12.0 d.
func seconds(s float64) string {
	for _, u := range []struct {
		name  string
		size  float64
		least float64
	}{{"d", 86400, 2 * 86400}, {"h", 3600, 2 * 3600}, {"s", 1, 0.9995}, {"ms", 1e-3, 0.9995e-3},
		{"µs", 1e-6, 0.9995e-6}} {
		if math.Abs(s) >= u.least {
			return digits(s/u.size) + " " + u.name
		}
	}
	if s == 0 {
		return "0 s"
	}
	return digits(s/1e-9) + " ns"
}

// share spells a share as a percentage. A share that is not 0 never reads as 0, nor one below 1 as
// 100 %.
func share(x float64) string {
	switch {
	case x > 0 && x < 0.0005:
		return "<0.1 %"
	case x > 0.9995 && x < 1:
		return ">99.9 %"
	}
	return digits(100*x) + " %"
}

// wholeShare is share without decimals, for narrow columns.
func wholeShare(x float64) string {
	switch {
	case x > 0 && x < 0.01:
		return "<1 %"
	case x > 0.99 && x < 1:
		return ">99 %"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + " %"
}

// digits keeps three significant ones, and all before the point.
func digits(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) || x == 0 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64); err == nil &&
		math.Abs(x) < 1000 {
		x = rounded // 9.999 has one digit before the point, 10.0 has two
	}
	before := int(math.Floor(math.Log10(math.Abs(x)))) + 1
	return strconv.FormatFloat(x, 'f', max(0, 3-before), 64)
}

// roughly spells a time for people who wait: 4 s, 1 min 20 s, 2 h 5 min, 3 d 4 h.
func roughly(d time.Duration) string {
	if d < time.Second {
		return "1 s"
	}
	s := int(d.Round(time.Second) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	case s < 48*3600:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
	return fmt.Sprintf("%d d %d h", s/86400, s%86400/3600)
}
