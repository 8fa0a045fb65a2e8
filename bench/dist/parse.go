package dist

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const forms = "10ms, const(10ms), exp(10ms), lognormal(10ms,4), bimodal(0.05,1ms,50ms), " +
	"hyperexp(10ms,16), pareto(1.1,1ms,1s), mixture(0.9,exp(1ms),0.1,exp(50ms))"

// Parse parses a distribution. A bare duration is Constant. The error is one line. Parse is the
// inverse of String.
func Parse(s string) (Dist, error) {
	name, inside, call := strings.Cut(s, "(")
	if !call {
		d, err := parseDuration(s)
		if err != nil {
			return nil, fmt.Errorf("want a distribution such as %s, got %q", forms, s)
		}
		return Constant{d}, nil
	}
	maker, known := makers[name]
	if !known || !strings.HasSuffix(inside, ")") {
		return nil, fmt.Errorf("want a distribution such as %s, got %q", forms, s)
	}
	d, err := maker.parse(SplitTop(strings.TrimSuffix(inside, ")")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

type maker struct {
	values int // number of values; 0 if the maker checks it
	what   string
	build  func(a *args) (Dist, error)
}

var makers map[string]maker

func init() {
	// in init because mixture parses its branches, which would be an initialisation cycle
	makers = map[string]maker{
		"const": {1, "the duration", func(a *args) (Dist, error) {
			return Constant{a.duration()}, nil
		}},
		"exp": {1, "the mean", makeExponential},
		"lognormal": {2, "the mean and C²", func(a *args) (Dist, error) {
			return NewLogNormal(a.duration(), a.float())
		}},
		"bimodal": {3, "the share of long, short, long", func(a *args) (Dist, error) {
			return Bimodal(a.float(), a.duration(), a.duration())
		}},
		"hyperexp": {2, "the mean and C²", func(a *args) (Dist, error) {
			return HyperExp(a.duration(), a.float())
		}},
		"pareto": {3, "alpha, low, high", func(a *args) (Dist, error) {
			return NewPareto(a.float(), a.duration(), a.duration())
		}},
		"mixture": {0, "", makeMixture},
	}
}

func (m maker) parse(values []string) (Dist, error) {
	if m.values > 0 && len(values) != m.values {
		return nil, fmt.Errorf("want %d in parentheses (%s), got %d", m.values, m.what, len(values))
	}
	a := &args{left: values}
	d, err := m.build(a)
	return d, cmp.Or(a.err, err)
}

type args struct {
	left []string
	err  error
}

func (a *args) duration() time.Duration { return read(a, parseDuration) }
func (a *args) float() float64          { return read(a, ParseFloat) }

func read[T any](a *args, parse func(string) (T, error)) T {
	v, err := parse(a.left[0])
	a.left, a.err = a.left[1:], cmp.Or(a.err, err)
	return v
}

func makeExponential(a *args) (Dist, error) {
	text := a.left[0]
	ns := read(a, parseNS)
	if ns <= 0 {
		return nil, fmt.Errorf("mean: must be positive, got %q", text)
	}
	return Exponential{ns}, nil
}

func makeMixture(a *args) (Dist, error) {
	if len(a.left)%2 != 0 {
		return nil, fmt.Errorf("want pairs of a weight and a distribution, got %d values",
			len(a.left))
	}
	var branches []Branch
	for pair := range slices.Chunk(a.left, 2) {
		i := len(branches) + 1
		p, err := ParseFloat(pair[0])
		if err != nil {
			return nil, fmt.Errorf("w%d: %w", i, err)
		}
		if strings.HasPrefix(pair[1], "mixture(") {
			// before parsing the branch, so that the input cannot cause deep recursion
			return nil, fmt.Errorf("d%d: a branch cannot be a mixture itself", i)
		}
		d, err := Parse(pair[1])
		if err != nil {
			return nil, fmt.Errorf("d%d: %w", i, err)
		}
		branches = append(branches, Branch{p, d})
	}
	return NewMixture(branches...)
}

// SplitTop splits at the commas outside parentheses.
func SplitTop(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, s[start:])
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a duration such as 10ms, got %q", s)
	}
	return d, nil
}

func parseNS(s string) (float64, error) {
	if number, ok := strings.CutSuffix(s, "ns"); ok {
		if ns, err := ParseFloat(number); err == nil && ns >= 0 && ns < math.MaxInt64 {
			return ns, nil
		}
	}
	d, err := parseDuration(s)
	return float64(d), err
}

// ParseFloat parses a finite number.
func ParseFloat(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrSyntax) || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("want a number such as 0.5, got %q", s)
	}
	return x + 0, nil // turns -0 into 0
}
