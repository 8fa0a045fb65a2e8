package dist_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// Every distribution has an unrounded mean.
var _ = []interface{ MeanNS() float64 }{dist.Constant{}, dist.Exponential{}, dist.LogNormal{},
	dist.Mixture{}, dist.Pareto{}}

func parse(t testing.TB, s string) dist.Dist {
	t.Helper()
	d, err := dist.Parse(s)
	if err != nil {
		t.Fatalf("Parse(%q): %v", s, err)
	}
	return d
}

// The expected moments are fractions calculated by hand.
func TestExactMoments(t *testing.T) {
	for _, c := range []struct {
		spelling string
		mean     time.Duration
		c2       float64
	}{
		{"const(10ms)", 10 * time.Millisecond, 0},
		{"exp(10ms)", 10 * time.Millisecond, 1},
		{"lognormal(10ms,4)", 10 * time.Millisecond, 4},
		{"hyperexp(10ms,1)", 10 * time.Millisecond, 1},
		{"hyperexp(10ms,16)", 10 * time.Millisecond, 16},
		// mean 0.75·1 + 0.25·5 = 2, variance 0.75·0.25·16 = 3
		{"bimodal(0.25,1ms,5ms)", 2 * time.Millisecond, 0.75},
		// E[X²] = 0.5·2·4 + 0.5·2·16 = 20, E[X] = 3, C² = 20/9 − 1 = 11/9
		{"mixture(0.5,exp(2ms),0.5,exp(4ms))", 3 * time.Millisecond, 11. / 9},
		{"mixture(0.5,4ms,0.5,4ms)", 4 * time.Millisecond, 0},
	} {
		d := parse(t, c.spelling)
		if d.Mean() != c.mean || dist.MeanNS(d) != float64(c.mean) {
			t.Errorf("%s: mean %v (%v ns), want %v", c.spelling, d.Mean(), dist.MeanNS(d), c.mean)
		}
		if math.Abs(d.C2()-c.c2) > 1e-15*(1+c.c2) {
			t.Errorf("%s: C² %v, want %v", c.spelling, d.C2(), c.c2)
		}
	}
}

// NewMixture computes moments from the branches. They must equal those of HyperExp, and each branch
// must have half of the work.
func TestHyperExpIsBalanced(t *testing.T) {
	for _, c2 := range []float64{1, 1.5, 4, 16, 64, 1e6, 1e9} {
		h, err := dist.HyperExp(10*time.Millisecond, c2)
		if err != nil {
			t.Fatal(err)
		}
		b := h.Branches()
		if len(b) != 2 || b[0].P < b[1].P {
			t.Fatalf("c2=%v: branches %v", c2, b)
		}
		for _, x := range b {
			if work := x.P * dist.MeanNS(x.Dist); math.Abs(work/5e6-1) > 1e-14 {
				t.Errorf("c2=%v: the branch of probability %v carries %v ns of work, want half "+
					"of 10ms", c2, x.P, work)
			}
		}
		m, err := dist.NewMixture(b...)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(m.MeanNS()/1e7-1) > 1e-14 || math.Abs((m.C2()+1)/(c2+1)-1) > 1e-13 {
			t.Errorf("c2=%v: as a general mixture it has mean %v ns and C² %v", c2,
				m.MeanNS(), m.C2())
		}
	}
}

// The mean of n draws has the standard deviation √(variance/n), a probability q has √(q(1−q)/n).
// The tolerance is 5 standard deviations, so a correct generator fails for one seed in 1.7 million.
// Probabilities are compared because heavy tails make the sample variance useless.
func TestSamplesFollowTheLaw(t *testing.T) {
	const n = 200_000
	expCDF := func(mean float64) func(float64) float64 {
		return func(x float64) float64 { return -math.Expm1(-x / mean) }
	}
	paretoCDF := func(alpha, low, high float64) func(float64) float64 {
		return func(x float64) float64 {
			x = min(max(x, low), high)
			return (1 - math.Pow(low/x, alpha)) / (1 - math.Pow(low/high, alpha))
		}
	}
	for _, c := range []struct {
		spelling string
		cdf      func(ns float64) float64
	}{
		{"const(10ms)", func(x float64) float64 {
			if x < 1e7 {
				return 0
			}
			return 1
		}},
		{"exp(10ms)", expCDF(1e7)},
		{"lognormal(10ms,4)", func(x float64) float64 {
			s2 := math.Log(5)
			return 0.5 * math.Erfc(-(math.Log(x)-math.Log(1e7)+s2/2)/math.Sqrt(2*s2))
		}},
		{"bimodal(0.05,1ms,50ms)", func(x float64) float64 {
			switch {
			case x < 1e6:
				return 0
			case x < 5e7:
				return 0.95
			}
			return 1
		}},
		{"hyperexp(10ms,16)", func(x float64) float64 {
			s := math.Sqrt(15. / 17)
			p := (1 + s) / 2
			return p*expCDF(1e7/(2*p))(x) + (1-p)*expCDF(1e7/(2*(1-p)))(x)
		}},
		{"pareto(1.1,900us,50ms)", paretoCDF(1.1, 9e5, 5e7)},
		{"pareto(1,100us,10s)", paretoCDF(1, 1e5, 1e10)},
		{"mixture(0.9,exp(1ms),0.1,50ms)", func(x float64) float64 {
			q := 0.9 * expCDF(1e6)(x)
			if x >= 5e7 {
				q += 0.1
			}
			return q
		}},
		{"mixture(0.2,1ms,0.3,50ms,0.5,exp(10ms))", func(x float64) float64 {
			q := 0.5 * expCDF(1e7)(x)
			if x >= 1e6 {
				q += 0.2
			}
			if x >= 5e7 {
				q += 0.3
			}
			return q
		}},
	} {
		t.Run(c.spelling, func(t *testing.T) {
			d, r := parse(t, c.spelling), rand.New(rand.NewPCG(1, 2))
			points := []float64{1e5, 999_999, 1e6, 3e6, 9_999_999, 1e7, 2e7, 49_999_999, 5e7, 1e8}
			below := make([]int, len(points))
			var sum float64
			for range n {
				x := float64(d.Sample(r))
				if x < 0 {
					t.Fatalf("negative draw %v", x)
				}
				sum += x
				for i, p := range points {
					if x <= p {
						below[i]++
					}
				}
			}
			mean := dist.MeanNS(d)
			if se := mean * math.Sqrt(d.C2()/n); math.Abs(sum/n-mean) > 5*se {
				t.Errorf("mean %v ns, want %v ± %v", sum/n, mean, 5*se)
			}
			for i, p := range points {
				q := c.cdf(p + 0.5) // draws are rounded to the nearest ns
				if got, se := float64(below[i])/n, math.Sqrt(q*(1-q)/n); math.Abs(got-q) > 5*se {
					t.Errorf("share up to %v ns: %v, want %v ± %v", p, got, q, 5*se)
				}
			}
		})
	}
}

func TestSampleRoundsToTheNearestNanosecond(t *testing.T) {
	e := dist.Exponential{M: 3}
	draws, same := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		if got, want := e.Sample(draws),
			time.Duration(math.Round(3*same.ExpFloat64())); got != want {
			t.Fatalf("drew %d ns, want %d", got, want)
		}
	}
	if got := (dist.Exponential{M: 1e30}).Mean(); got != math.MaxInt64 {
		t.Errorf("a mean beyond the longest duration gave %v", got)
	}
}

func TestSampleIsAPureFunctionOfTheRandomNumbers(t *testing.T) {
	for _, s := range []string{"10ms", "exp(10ms)", "lognormal(10ms,4)", "bimodal(0.05,1ms,50ms)",
		"hyperexp(10ms,16)", "pareto(1.1,1ms,1s)"} {
		d, a, b := parse(t, s), rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(7, 7))
		for range 100 {
			if x, y := d.Sample(a), d.Sample(b); x != y {
				t.Fatalf("%s: %v and %v from equal generators", s, x, y)
			}
		}
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, s := range []string{"10ms", "exp(10ms)", "lognormal(10ms,4)", "bimodal(0.05,1ms,50ms)",
		"hyperexp(10ms,16)", "pareto(1.1,1ms,1s)"} {
		d := parse(t, s)
		if n := testing.AllocsPerRun(1000, func() { d.Sample(r) }); n != 0 {
			t.Errorf("%s: %v allocations a draw", s, n)
		}
	}
}

func BenchmarkSample(b *testing.B) {
	for _, s := range []string{"exp(10ms)", "lognormal(10ms,4)", "bimodal(0.05,1ms,50ms)",
		"hyperexp(10ms,16)", "pareto(1.1,1ms,1s)"} {
		b.Run(s, func(b *testing.B) {
			d, r := parse(b, s), rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for b.Loop() {
				d.Sample(r)
			}
		})
	}
}
