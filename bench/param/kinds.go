package param

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

func (k Key) parse(s string) (value, error) {
	if k.Kind == Choice {
		return k.parseChoice(s)
	}
	if k.Word != "" && s == k.Word {
		return value{text: s, num: math.NaN(), open: true}, nil
	}
	v, err := parseValue(k.Kind, s)
	if constant, bare := v.dist.(dist.Constant); bare && k.Bare != nil &&
		!strings.Contains(s, "(") {
		v.dist = k.Bare(constant.Value)
		v.text = v.dist.String()
	}
	return v, err
}

func (k Key) parseChoice(s string) (value, error) {
	if !slices.Contains(k.Choices, s) {
		last := len(k.Choices) - 1
		return value{}, fmt.Errorf("want %s or %s, got %q", strings.Join(k.Choices[:last], ", "),
			k.Choices[last], s)
	}
	return value{text: s}, nil
}

func parseValue(kind Kind, s string) (value, error) {
	switch kind {
	case Text:
		return value{text: s}, nil
	case Duration:
		d, err := parseDuration(s)
		return value{text: dist.FormatDuration(d), dur: d}, err
	case Float:
		x, err := dist.ParseFloat(s)
		return value{text: dist.FormatFloat(x), num: x}, err
	case Int:
		n, err := parseInt(s)
		return value{text: strconv.Itoa(n), whole: int64(n)}, err
	case Size:
		n, err := parseSize(s)
		return value{text: formatSize(n), whole: n}, err
	case Distribution:
		d, err := dist.Parse(s)
		if err != nil {
			return value{}, err
		}
		return value{text: d.String(), dist: d}, nil
	}
	panic("param: no such kind")
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("want a duration such as 10ms, got %q", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("want a duration that is not negative, got %q", s)
	}
	return d, nil
}

func parseInt(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0, fmt.Errorf("want a whole number such as 4, got %q", s)
	}
	return n, nil
}

var sizeUnits = []struct {
	suffix string
	bytes  int64
}{{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"kB", 1e3}}

func parseSize(s string) (int64, error) {
	number, unit := strings.TrimSuffix(s, "B"), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			number, unit = rest, u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil || int64(n) > math.MaxInt64/unit {
		return 0, fmt.Errorf("want a size in bytes such as 512, 64KiB or 1MB, got %q", s)
	}
	return int64(n) * unit, nil
}

func formatSize(n int64) string {
	for _, u := range sizeUnits {
		if n > 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// Floats parses a comma-separated list such as 0.5,0.8, for flags.
func Floats(s string) ([]float64, error) { return parseEach(strings.Split(s, ","), dist.ParseFloat) }

// Ints parses a comma-separated list such as 4,8.
func Ints(s string) ([]int, error) { return parseEach(strings.Split(s, ","), parseInt) }

func parseEach[T any](texts []string, parse func(string) (T, error)) ([]T, error) {
	all := make([]T, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = parse(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Percent parses a share of at least 0 and below 1, written as 10% or 0.1.
func Percent(s string) (float64, error) {
	number := s
	if whole, ok := strings.CutSuffix(s, "%"); ok {
		number = whole + "e-2" // rounds once; 99.9/100 is not the float nearest to 0.999
	}
	x, err := dist.ParseFloat(number)
	if err != nil || x < 0 || x >= 1 {
		return 0, fmt.Errorf("want a share such as 10%% or 0.1, at least 0 and below 1, got %q", s)
	}
	return x, nil
}
