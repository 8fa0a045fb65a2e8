package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
)

// Seconds formats three digits with a suitable unit: 68.9 ms, 1.50 h, 12.0 d, or ∞.
func Seconds(s float64) string {
	if math.IsInf(s, 1) {
		return "∞"
	}
	for _, u := range []struct {
		name  string
		size  float64
		least float64
	}{{"d", 86400, 2 * 86400}, {"h", 3600, 3599.5}, {"s", 1, 0.9995}, {"ms", 1e-3, 0.9995e-3},
		{"µs", 1e-6, 0.9995e-6}} {
		if math.Abs(s) >= u.least {
			return Digits(s/u.size) + " " + u.name
		}
	}
	if s == 0 {
		return "0 s"
	}
	return Digits(s/1e-9) + " ns"
}

func Duration(d time.Duration) string { return ShortSeconds(d.Seconds()) }

// ShortSeconds is Seconds without trailing zeros.
func ShortSeconds(s float64) string { return trim(Seconds(s)) }

func ShortShare(x float64) string { return trim(Share(x)) }

func Short(x float64) string { return trim(Digits(x)) }

func trim(text string) string {
	number, unit, spaced := strings.Cut(text, " ")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	if spaced {
		number += " "
	}
	return number + unit
}

// Factor has one decimal below ten, and none from ten on.
func Factor(f float64) string {
	if f < 9.95 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// A share below 1 is never formatted as 100 %.
func Share(x float64) string {
	if x > 0.9995 && x < 1 {
		return ">99.9 %"
	}
	return Digits(100*x) + " %"
}

func WholeShare(x float64) string {
	switch {
	case x > 0 && x < 0.01:
		return "<1 %"
	case x > 0.99 && x < 1:
		return ">99 %"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + " %"
}

// Digits formats three significant digits, or more from 1000 on. No line is broken at its minus,
// U+2212.
func Digits(x float64) string {
	if x < 0 {
		return "−" + Digits(-x)
	}
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

// Roughly formats an expected duration: 4 s, 1 min 20 s, 3 d 4 h.
func Roughly(d time.Duration) string {
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

// Rounded formats two digits: 270,000, 1.2 million.
func Rounded(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	switch {
	case x >= 1e6:
		return Rounded(x/1e6) + " million"
	case x >= 1000:
		return fmt.Sprintf("%d,%03d", int(x)/1000, int(x)%1000)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// Size formats three digits: 512 B, 1.23 MB.
func Size(bytes float64) string {
	unit := 0
	for units := 4; unit < units && math.Abs(bytes) >= 999.5; unit++ {
		bytes /= 1000
	}
	if unit == 0 && bytes == math.Trunc(bytes) {
		return strconv.FormatFloat(bytes, 'f', 0, 64) + " B"
	}
	return Digits(bytes) + " " + []string{"B", "kB", "MB", "GB", "TB"}[unit]
}

func Rate(x float64) string { return Digits(x) + " /s" }

// A Kind of a metric determines the format of its values.
type Kind string

const (
	Times   Kind = "seconds" // 68.9 ms
	Rates   Kind = "rate"    // 619 /s
	Bytes   Kind = "bytes"   // 48.0 B
	Speeds  Kind = "speed"   // 512 MB/s
	Shares  Kind = "share"   // 12.4 %
	Numbers Kind = "number"  // 4.00
)

// Times are in seconds, except for ns/op. A metric per op is a share if it counts outcomes of
// tasks, and a number otherwise.
func KindOf(unit string) Kind {
	_, unit, _ = metric.CutURL(unit) // a URL may look like a unit
	switch {
	case unit == "ns/op", strings.HasPrefix(unit, "sec/"), unit == "sec",
		strings.Contains(unit, "-sec"):
		return Times
	case strings.HasSuffix(unit, "ops/s"):
		return Rates
	case unit == "B", strings.HasSuffix(unit, "B/op"), strings.Contains(unit, "-B"):
		return Bytes
	case unit == "B/s":
		return Speeds
	case shares.MatchString(unit):
		return Shares
	}
	return Numbers
}

var shares = lazyregexp.New(`(^|-)(shed|throttled|failed|abandoned|gave-up|gave-up-started|` +
	`wasted-service|missed|waited|blocked|resent|unsent|long|seen-full|tail-[a-z-]+|status-.+)/op$|` +
	`utilisation$|-share$|^cpu-(wait|others|pressure|steal)$|` +
	`^gc-cpu$|^relative-deviation$`)

func (k Kind) Spell(v float64) string {
	switch k {
	case Times:
		return Seconds(v)
	case Rates:
		return Rate(v)
	case Bytes:
		return Digits(v) + " B"
	case Speeds:
		return Digits(v/1e6) + " MB/s"
	case Shares:
		return Share(v)
	}
	return Digits(v)
}

func Metric(unit string, v float64) string {
	if unit == "ns/op" {
		v /= 1e9
	}
	return KindOf(unit).Spell(v)
}

// share is the relative 95 % error: up to 100 % the value follows "≈", above it is a dash. 0 means
// that no large error is known.
func Uncertain(unit string, v, share float64) string {
	switch {
	case share > 1:
		return "–"
	case share > 0:
		return "≈" + Metric(unit, v)
	}
	return Metric(unit, v)
}

// Change formats a ratio: "+26.3 %", "×12.5", "from 0".
func Change(ratio float64) string {
	switch {
	case math.IsInf(ratio, 1):
		return "from 0"
	case ratio >= 2:
		return "×" + Digits(ratio)
	case ratio < 1:
		return "−" + Percent(100*(1-ratio)) + " %"
	}
	return "+" + Percent(100*(ratio-1)) + " %"
}

// Percent formats a change without its sign, in per cent or percentage points. Small changes have
// two decimals.
func Percent(size float64) string {
	places := 0
	switch {
	case size < 9.995:
		places = 2
	case size < 99.95:
		places = 1
	}
	return strconv.FormatFloat(size, 'f', places, 64)
}

func Trimmed(unit string, v float64) string { return trim(Metric(unit, v)) }

var numberAndUnit = lazyregexp.New(`([0-9]) (ms\b|µs\b|ns\b|s\b|times\b|/s\b|%)`)

// Together replaces the blank between a number and its unit by a no-break space.
func Together(text string) string { return numberAndUnit.ReplaceAllString(text, "$1\u00a0$2") }

// Span writes a common unit of both ends once.
func Span(low, between, high string) string {
	if number, unit, ok := strings.Cut(low, " "); ok && strings.HasSuffix(high, " "+unit) {
		low = number
	}
	return low + between + high
}
