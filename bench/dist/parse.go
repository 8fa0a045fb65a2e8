package dist

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// forms documents the spellings in the order of the package comment; it is part of the message for
// an unknown one.
const forms = "10ms, const(10ms), exp(10ms), lognormal(10ms,4), bimodal(0.05,1ms,50ms), " +
	"hyperexp(10ms,16), pareto(1.1,1ms,1s), mixture(0.9,exp(1ms),0.1,exp(50ms))"

// Parse reads the spelling of a distribution; a bare duration is Constant. The error is one line.
// What Parse accepts, String spells so that Parse gives the same distribution again.
func Parse(s string) (Dist, error) {
	name, inside, call := strings.Cut(s, "(")
	if !call {
		d, err := parseDuration(s)
		if err != nil {
			return nil, fmt.Errorf("want a distribution such as %s, got %q", forms, s)
		}
		return Constant{d}, nil
	}
	maker := makers[name]
	if maker == nil || !strings.HasSuffix(inside, ")") {
		return nil, fmt.Errorf("want a distribution such as %s, got %q", forms, s)
	}
	d, err := maker(SplitTop(strings.TrimSuffix(inside, ")")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

var makers map[string]func(args []string) (Dist, error)

func init() {
	// not in the declaration: mixture parses its branches, which would be an initialisation cycle
	makers = map[string]func(args []string) (Dist, error){
		"const": makeConstant, "exp": makeExponential, "lognormal": makeLogNormal,
		"bimodal": makeBimodal, "hyperexp": makeHyperExp, "pareto": makePareto,
		"mixture": makeMixture,
	}
}

func makeConstant(args []string) (Dist, error) {
	if len(args) != 1 {
		return nil, want(1, "the duration", args)
	}
	d, err := parseDuration(args[0])
	return Constant{d}, err
}

func makeExponential(args []string) (Dist, error) {
	if len(args) != 1 {
		return nil, want(1, "the mean", args)
	}
	ns, err := parseNS(args[0])
	if err == nil && ns <= 0 {
		err = fmt.Errorf("mean: must be positive, got %q", args[0])
	}
	return Exponential{ns}, err
}

func makeLogNormal(args []string) (Dist, error) {
	if len(args) != 2 {
		return nil, want(2, "the mean and C²", args)
	}
	mean, err1 := parseDuration(args[0])
	c2, err2 := parseFloat(args[1])
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	d, err := NewLogNormal(mean, c2)
	return d, err
}

func makeBimodal(args []string) (Dist, error) {
	if len(args) != 3 {
		return nil, want(3, "the share of long, short, long", args)
	}
	p, err1 := parseFloat(args[0])
	short, err2 := parseDuration(args[1])
	long, err3 := parseDuration(args[2])
	if err := first(err1, err2, err3); err != nil {
		return nil, err
	}
	return Bimodal(p, short, long)
}

func makeHyperExp(args []string) (Dist, error) {
	if len(args) != 2 {
		return nil, want(2, "the mean and C²", args)
	}
	mean, err1 := parseDuration(args[0])
	c2, err2 := parseFloat(args[1])
	if err := first(err1, err2); err != nil {
		return nil, err
	}
	return HyperExp(mean, c2)
}

func makePareto(args []string) (Dist, error) {
	if len(args) != 3 {
		return nil, want(3, "alpha, low, high", args)
	}
	alpha, err1 := parseFloat(args[0])
	low, err2 := parseDuration(args[1])
	high, err3 := parseDuration(args[2])
	if err := first(err1, err2, err3); err != nil {
		return nil, err
	}
	return NewPareto(alpha, low, high)
}

func makeMixture(args []string) (Dist, error) {
	if len(args)%2 != 0 {
		return nil, fmt.Errorf("want pairs of a weight and a distribution, got %d values",
			len(args))
	}
	var branches []Branch
	for i := 0; i < len(args); i += 2 {
		p, err := parseFloat(args[i])
		if err != nil {
			return nil, fmt.Errorf("w%d: %w", i/2+1, err)
		}
		if strings.HasPrefix(args[i+1], "mixture(") {
			// before parsing it: the depth of the recursion is the user's otherwise
			return nil, fmt.Errorf("d%d: a branch cannot be a mixture itself", i/2+1)
		}
		d, err := Parse(args[i+1])
		if err != nil {
			return nil, fmt.Errorf("d%d: %w", i/2+1, err)
		}
		branches = append(branches, Branch{p, d})
	}
	return NewMixture(branches...)
}

func want(n int, what string, args []string) error {
	return fmt.Errorf("want %d in parentheses (%s), got %d", n, what, len(args))
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// SplitTop splits at the commas outside parentheses; package param separates its parameters in the
// same way.
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

// parseNS reads a duration that need not be a whole number of nanoseconds, as formatNS spells it.
func parseNS(s string) (float64, error) {
	if number, ok := strings.CutSuffix(s, "ns"); ok {
		if ns, err := parseFloat(number); err == nil && ns >= 0 && ns < math.MaxInt64 {
			return ns, nil
		}
	}
	d, err := parseDuration(s)
	return float64(d), err
}

func parseFloat(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if errors.Is(err, strconv.ErrSyntax) || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("want a number such as 0.5, got %q", s)
	}
	return x, nil
}
