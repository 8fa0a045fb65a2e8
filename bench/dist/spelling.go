package dist

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// FormatDuration returns the canonical form of d, which is part of the names of results: in ASCII
// (500us) and without zero units (1h, not 1h0m0s).
func FormatDuration(d time.Duration) string {
	s := strings.Replace(d.String(), "µ", "u", 1)
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}

// FormatFloat returns the shortest decimal that parses as x, without an exponent from 1e-6 up to
// 1e15.
func FormatFloat(x float64) string {
	format := byte('g')
	if a := math.Abs(x); a == 0 || a >= 1e-6 && a < 1e15 {
		format = 'f'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}

func formatNS(ns float64) string {
	if d := round(ns); float64(d) == ns {
		return FormatDuration(d)
	}
	return FormatFloat(ns) + "ns"
}
