package evidence

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

func Rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil { // beyond the largest float64
		return v
	}
	return r
}

// Roughly formats a time in seconds with two digits, its accuracy.
func Roughly(seconds float64) string {
	if seconds == 0 {
		return text.ShortSeconds(0)
	}
	digits := math.Pow(10, 1-math.Floor(math.Log10(math.Abs(seconds))))
	return text.ShortSeconds(math.Round(seconds*digits) / digits)
}

func Counted(v float64, thing string) string {
	if v == 1 {
		return "1 " + thing
	}
	return text.Short(v) + " " + thing + "s"
}

// Series joins texts that may contain commas: "a, b and c".
var Series, Few = text.List, text.Truncate

func IfAny(names []string, format string, args ...any) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(format, args...) + ": " + Series(names)
}

// Grouped merges neighbours with the same value: "0 % at limit 50, 100 and 200; 3 % at limit 400".
func Grouped(at string, values, marks []string) string {
	var parts []string
	for i := 0; i < len(values); {
		j := i + 1
		for j < len(values) && values[j] == values[i] {
			j++
		}
		parts = append(parts, values[i]+" "+at+" "+Series(marks[i:j]))
		i = j
	}
	return strings.Join(parts, "; ")
}

func Floats(whole []int) (out []float64) {
	for _, v := range whole {
		out = append(out, float64(v))
	}
	return out
}

func Times(all []time.Duration) (out []float64) {
	for _, d := range all {
		out = append(out, d.Seconds())
	}
	return out
}
