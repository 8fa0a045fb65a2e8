package dist_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

func TestParseGivesOneSpelling(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"10ms", "const(10ms)"},
		{"0", "const(0s)"},
		{"const(0.01s)", "const(10ms)"},
		{"exp(1000us)", "exp(1ms)"},
		{"exp(2.5ns)", "exp(2.5ns)"},
		{"lognormal(10ms,4.0)", "lognormal(10ms,4)"},
		{"bimodal(5e-2,1ms,0.05s)", "bimodal(0.05,1ms,50ms)"},
		{"hyperexp(10ms,16.0)", "hyperexp(10ms,16)"},
		{"pareto(1.10,1000us,1000ms)", "pareto(1.1,1ms,1s)"},
		{"mixture(0.98,exp(7.1ms),0.02,exp(150ms))", "mixture(0.98,exp(7.1ms),0.02,exp(150ms))"},
		{"mixture(0.5,1ms,0.5,lognormal(2ms,1))", "mixture(0.5,const(1ms),0.5,lognormal(2ms,1))"},
	} {
		if got := parse(t, c.in).String(); got != c.want {
			t.Errorf("Parse(%q) is %s, want %s", c.in, got, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "want a distribution such as 10ms"},
		{"10", `got "10"`},
		{"-1ms", `got "-1ms"`},
		{"gauss(1ms)", `got "gauss(1ms)"`},
		{"exp(10ms", `got "exp(10ms"`},
		{"exp()", `exp: want a duration such as 10ms, got ""`},
		{"exp(0s)", `exp: mean: must be positive, got "0s"`},
		{"exp(NaNns)", `exp: want a duration such as 10ms, got "NaNns"`},
		{"exp(1e300ns)", `exp: want a duration`},
		{"exp(1ms,2ms)", "exp: want 1 in parentheses (the mean), got 2"},
		{"const(9999999h)", "const: want a duration"},
		{"lognormal(10ms,0)", "lognormal: c2: must be positive"},
		{"lognormal(10ms,NaN)", `lognormal: want a number such as 0.5, got "NaN"`},
		{"lognormal(10ms,-1)", "lognormal: c2: must be between 0 and 1000000000, got -1"},
		{"hyperexp(10ms,0.5)", "hyperexp: c2: must be between 1 and 1000000000, got 0.5"},
		{"hyperexp(0s,2)", "hyperexp: mean: must be positive, got 0s"},
		{"hyperexp(1ms)", "hyperexp: want 2 in parentheses (the mean and C²), got 1"},
		{"bimodal(1,1ms,2ms)", "bimodal: p: must be between 0 and 1, both excluded, got 1"},
		{"bimodal(0.5,2ms,2ms)",
			"bimodal: short: must be shorter than long, got short=2ms and long=2ms"},
		{"bimodal(1e-320,0s,2ms)", "bimodal: p: too rare"},
		{"pareto(1.1,1ms)", "pareto: want 3 in parentheses (alpha, low, high), got 2"},
		{"pareto(0,1ms,1s)", "pareto: alpha: must be between 0.001 and 1000, got 0"},
		{"pareto(1001,1ms,1s)", "pareto: alpha: must be between 0.001 and 1000, got 1001"},
		{"pareto(1.1,0s,1s)", "pareto: low: must be positive, got 0s"},
		{"pareto(1.1,1s,1s)", "pareto: low: must be less than high, got low=1s and high=1s"},
		{"pareto(1,1ns,2562047h)",
			"pareto: high: too far from low: c2: must be between 0 and 1000000000"},
		{"mixture(0.5,1ms)", "mixture: the weights must add up to 1, got 0.5"},
		{"mixture(0.9,1ms,0.2,2ms)", "mixture: the weights must add up to 1, got 0.9 + 0.2 = 1.1"},
		{"mixture(1)", "mixture: want pairs of a weight and a distribution, got 1 values"},
		{"mixture(-1,1ms,2,1ms)", "mixture: w1: must be positive"},
		{"mixture(1,0s)", "mixture: the mean of a mixture must be positive"},
		{"mixture(0.5,1ms,0.5,exp(x))", "mixture: d2: exp: want a duration"},
		{"mixture(1,hyperexp(1ms,2))", "mixture: d1: a branch cannot be a mixture itself"},
		{strings.Repeat("mixture(1,", 100_000), `want a distribution such as`},
		{strings.Repeat("mixture(1,", 1000) + "1ms" + strings.Repeat(")", 1000),
			"mixture: d1: a branch cannot be a mixture itself"},
	} {
		if d, err := dist.Parse(c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%.60q) = %v, %v; want an error with %s", c.in, d, err, c.want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 500 * time.Microsecond: "500us", 1500 * time.Nanosecond: "1.5us",
		10 * time.Second: "10s",
		time.Minute:      "1m", 10 * time.Minute: "10m", 90 * time.Second: "1m30s", time.Hour: "1h",
		20 * time.Hour:          "20h",
		time.Hour + time.Second: "1h0m1s", math.MaxInt64: "2562047h47m16.854775807s",
	} {
		got := dist.FormatDuration(d)
		back, err := time.ParseDuration(got)
		if got != want || err != nil || back != d {
			t.Errorf("FormatDuration(%d) = %q, which reads back as %v, %v; want %q", d,
				got, back, err, want)
		}
	}
}

func TestFormatFloat(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 16: "16", 0.05: "0.05", 1e6: "1000000",
		1e-6: "0.000001", 1e-7: "1e-07", 1e21: "1e+21", -2.5: "-2.5"} {
		if got := dist.FormatFloat(x); got != want {
			t.Errorf("FormatFloat(%g) = %q, want %q", x, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "10ms", "const(10ms)", "exp(10ms)", "exp(1.5ns)", "exp(1e18ns)",
		"lognormal(10ms,4)", "bimodal(0.05,1ms,50ms)",
		"hyperexp(10ms,16)", "pareto(1.1,1ms,1s)", "pareto(2,1ns,2562047h)", "pareto(1000,1ns,2ns)",
		"mixture(0.98,exp(7.1ms),0.02,exp(150ms))", "mixture(0.5,mixture(1,1ms),0.5,1ms)",
		"lognormal(333333m,4)", "lognormal(4503599627370497ns,4)",
		"exp(333333m)", "exp(2562047h47m16.854775807s)",
		"lognormal(2562047h47m16.854775807s,4)", "hyperexp(2562047h47m16.854775807s,4)",
		"exp((1ms)", "exp(1ms))", "exp(-0ns)", "µ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := dist.Parse(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("Parse(%q): error of several lines: %q", s, err)
			}
			return
		}
		again, err := dist.Parse(d.String())
		if err != nil || !reflect.DeepEqual(d, again) {
			t.Fatalf("Parse(%q) = %#v; its spelling %q gives %#v, %v", s, d, d, again, err)
		}
		if m, c2 := dist.MeanNS(d), d.C2(); !(m >= 0) || !(c2 >= 0) ||
			math.IsInf(c2, 1) || d.Mean() < 0 {
			t.Fatalf("Parse(%q) has mean %v ns, C² %v", s, m, c2)
		}
	})
}
