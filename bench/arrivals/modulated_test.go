package arrivals_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
)

// twoPhase has arrival rates l1 and l2 in its phases, and leaves them at rates s1 and s2, per
// second.
type twoPhase struct{ l1, l2, s1, s2 float64 }

func (p twoPhase) rate() float64 { return (p.l1*p.s2 + p.l2*p.s1) / (p.s1 + p.s2) }

// spread returns 2σ₁σ₂(λ₁−λ₂)²/(σ₁+σ₂)², a factor of both formulas below.
func (p twoPhase) spread() float64 {
	return 2 * p.s1 * p.s2 * (p.l1 - p.l2) * (p.l1 - p.l2) / (p.s1 + p.s2) / (p.s1 + p.s2)
}

// gaps returns the C² of the gaps between arrivals (Fischer and Meier-Hellstern, 1993).
func (p twoPhase) gaps() float64 {
	return 1 + p.spread()/(p.l1*p.l2+p.l1*p.s2+p.l2*p.s1)
}

// dispersion returns variance/mean of the number of arrivals in t seconds.
func (p twoPhase) dispersion(t float64) float64 {
	s := p.s1 + p.s2
	return 1 + p.spread()/(p.l1*p.s2+p.l2*p.s1)*(1-(1-math.Exp(-s*t))/(s*t))
}

// fixedDispersion returns the same for bursts of length on in every cycle, with l arrivals/s in a
// burst. t must not exceed the shorter phase. The burst time in a random window has the variance
// 2∫₀ᵗ(t−s)c(s)ds, where c(s) = p − s/cycle − p² and p = on/cycle.
func fixedDispersion(l, on, cycle, t float64) float64 {
	p := on / cycle
	return 1 + l*((p-p*p)*t*t-t*t*t/3/cycle)/(p*t)
}

// The tolerance is 4 standard errors of the mean of 40 seeds.
func TestModulated(t *testing.T) {
	type dispersed struct{ window, want float64 }
	onoff := twoPhase{700, 0, 1 / 0.03, 1 / 0.04}
	mmpp := twoPhase{900, 100, 1 / 0.05, 1 / 0.2}
	mild := twoPhase{400, 200, 1 / 0.1, 1 / 0.1}
	for _, c := range []struct {
		text    string
		rate    float64
		gaps    float64 // C²; 0: unknown
		windows []dispersed
	}{
		{"onoff:on=30ms,off=40ms", onoff.rate(), onoff.gaps(), []dispersed{
			{0.01, onoff.dispersion(0.01)}, {0.1, onoff.dispersion(0.1)},
			{1, onoff.dispersion(1)}}},
		{"mmpp:ratio=9,high=50ms,low=200ms", mmpp.rate(), mmpp.gaps(), []dispersed{
			{0.02, mmpp.dispersion(0.02)}, {0.3, mmpp.dispersion(0.3)},
			{0.6, mmpp.dispersion(0.6)}}},
		{"mmpp:ratio=2,high=100ms,low=100ms", mild.rate(), mild.gaps(), []dispersed{
			{0.05, mild.dispersion(0.05)}, {1, mild.dispersion(1)}}},
		{"mmpp:ratio=1", 300, 1, []dispersed{{0.1, 1}, {1, 1}}},
		{"onoff:on=30ms,off=40ms,phases=fixed", 300, 0, []dispersed{
			{0.02, fixedDispersion(700, 0.03, 0.07, 0.02)},
			{0.03, fixedDispersion(700, 0.03, 0.07, 0.03)}, {0.07, 1}, {0.7, 1}}},
	} {
		const seeds, n = 40, 20_000
		rates, gaps := make([]float64, seeds), make([]float64, seeds)
		spreads := make([][]float64, len(c.windows))
		for seed := range rates {
			due := firstDue(t, c.text, c.rate, uint64(seed), n)
			// The span is fixed, because a span that ends at an arrival would bias the counts.
			span := 0.8 * n / c.rate
			rates[seed] = float64(within(due, span)) / span
			gaps[seed] = squared(due)
			for i, w := range c.windows {
				spreads[i] = append(spreads[i], windowDispersion(due, span, w.window, c.rate))
			}
		}
		checkMean(t, c.text+": rate", rates, c.rate)
		if c.gaps > 0 {
			checkMean(t, c.text+": C² of the gaps", gaps, c.gaps)
		}
		for i, w := range c.windows {
			checkMean(t, c.text+": dispersion", spreads[i], w.want)
		}
	}
}

func checkMean(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	var sum, square float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	e := math.Sqrt(square / float64(len(values)) / float64(len(values)-1))
	if math.Abs(mean-want) > 4*e || e > 0.03*want {
		t.Errorf("%s %.4g ± %.2g, want %.4g", what, mean, e, want)
	}
}

func within(due []time.Duration, span float64) (n int) {
	for n < len(due) && due[n].Seconds() <= span {
		n++
	}
	return n
}

func squared(due []time.Duration) float64 {
	var last time.Duration
	var sum, square float64
	for _, d := range due {
		gap := (d - last).Seconds()
		sum, square, last = sum+gap, square+gap*gap, d
	}
	n := float64(len(due))
	return n*square/sum/sum - 1
}

func windowDispersion(due []time.Duration, span, window, rate float64) float64 {
	counts := make([]float64, int(span/window))
	for _, d := range due {
		if i := int(d.Seconds() / window); i < len(counts) {
			counts[i]++
		}
	}
	mean, sum := rate*window, 0.0
	for _, c := range counts {
		sum += (c - mean) * (c - mean)
	}
	return sum / float64(len(counts)) / mean
}

// More than a thousand cycles per arrival must be rejected.
func TestModulatedBounds(t *testing.T) {
	v := variant(t, "onoff:on=1ms,off=1ms")
	if wrong := v.CheckPlan(1, 100, 0, arrivals.MaxTasks); len(wrong) > 0 {
		t.Errorf("at 1/s: %v", wrong)
	}
	wrong := v.CheckPlan(0.4, 100, 0, arrivals.MaxTasks)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(),
		"on, off: want a cycle of at least 2.5ms, a thousandth of") {
		t.Errorf("at 0.4/s: %v", wrong)
	}
}

func TestBursts(t *testing.T) {
	const long = 1e9 // seconds
	for text, want := range map[string]twoPhase{
		"onoff:on=30ms,off=40ms":           {700, 0, 1 / 0.03, 1 / 0.04},
		"mmpp:ratio=9,high=50ms,low=200ms": {900, 100, 1 / 0.05, 1 / 0.2},
	} {
		b, known := arrivals.MustParse(text).Bursts(want.rate())
		if d := want.dispersion(long); !known || math.Abs(b.Dispersion/d-1) > 1e-6 {
			t.Errorf("%s: %v, want a dispersion of %v", text, b, d)
		}
	}
	for text, want := range map[string]float64{"poisson": 1, "constant": 0, "bulk:n=10": 0,
		"onoff:on=30ms,off=40ms,phases=fixed": 1} {
		if b, known := arrivals.MustParse(text).Bursts(300); !known || b.Dispersion != want {
			t.Errorf("%s: %v, want a dispersion of %v", text, b, want)
		}
	}
	if _, known := arrivals.MustParse("linear:slope=1").Bursts(300); known {
		t.Error("linear has no steady state")
	}
}
