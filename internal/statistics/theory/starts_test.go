package theory_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/statistics/theory"
)

func TestStartsKnown(t *testing.T) {
	starts := theory.Starts{Rate: 80, Allowed: 100, Burst: 5, Constant: true}
	for name, c := range map[string]struct {
		model           func(theory.Starts) (*theory.Answer, error)
		mean, late, p99 float64
	}{
		"ticker": {theory.Ticker, 0.016330, 0.693615, 0.09874},
		"bucket": {theory.TokenBucket, 0.0035888, 0.154625, 0.06356},
	} {
		a, err := c.model(starts)
		if err != nil {
			t.Fatal(err)
		}
		p99, _ := a.ResponseQuantile(0.99)
		for what, v := range map[string][2]float64{"mean wait": {a.MeanWait, c.mean},
			"P(wait)": {a.WaitProb, c.late}, "p99": {p99, c.p99}} {
			if math.Abs(v[0]/v[1]-1) > 1e-4 {
				t.Errorf("%s: %s is %v, want %v", name, what, v[0], v[1])
			}
		}
	}
}

func TestBucketOfOne(t *testing.T) {
	for _, rho := range []float64{0.1, 0.5, 0.9, 0.99} {
		exact, err := theory.MDk(theory.Pool{Rate: rho * 7, MeanService: 1.0 / 7, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		before := math.Inf(1)
		for _, burst := range []int{1, 2, 10} {
			a, err := theory.TokenBucket(theory.Starts{Rate: rho * 7, Allowed: 7, Burst: burst,
				MeanService: 3, Constant: true})
			if err != nil {
				t.Fatal(err)
			}
			if burst == 1 && (math.Abs(a.MeanWait/exact.MeanWait-1) > 1e-8 ||
				math.Abs(a.WaitProb-exact.WaitProb) > 1e-12) {
				t.Errorf("ρ = %v: %v and %v, want those of M/D/1, %v and %v", rho, a.MeanWait,
					a.WaitProb, exact.MeanWait, exact.WaitProb)
			}
			if !(a.MeanWait < before) || a.MeanResponse != a.MeanWait+3 {
				t.Errorf("ρ = %v, burst %d: mean wait %v after %v, response %v", rho, burst,
					a.MeanWait, before, a.MeanResponse)
			}
			before = a.MeanWait
		}
	}
}

func TestStartsBySimulation(t *testing.T) {
	const runs, tasks = 40, 20_000
	for _, c := range []struct {
		name  string
		exact func(theory.Starts) (*theory.Answer, error)
		play  func(rng *rand.Rand, rate float64, burst, n int) float64
		rate  float64
		burst int
	}{
		{"bucket of 1", theory.TokenBucket, playBucket, 0.7, 1},
		{"bucket of 3", theory.TokenBucket, playBucket, 0.6, 3},
		{"ticker", theory.Ticker, playTicker, 0.55, 0},
	} {
		a, err := c.exact(theory.Starts{Rate: c.rate, Allowed: 1, Burst: c.burst})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var sum, squares float64
		for range runs {
			v := c.play(rng, c.rate, c.burst, tasks)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / runs
		if se := math.Sqrt((squares/runs - mean*mean) /
			(runs - 1)); math.Abs(mean-a.MeanWait) > 4*se {
			t.Errorf("%s: simulated %.5f ± %.5f, exact %.5f", c.name, mean, se, a.MeanWait)
		}
		if _, known := a.ResponseQuantile(0.5); known {
			t.Errorf("%s: a response is known although the service times are not", c.name)
		}
	}
}

// playBucket simulates a token bucket with one token per unit of time and returns the mean delay.
func playBucket(rng *rand.Rand, rate float64, burst, n int) (mean float64) {
	now, tokens, at := 0.0, float64(burst), 0.0 // tokens at time at; negative if tokens are owed
	for range n {
		now += rng.ExpFloat64() / rate
		tokens = min(tokens+now-at, float64(burst))
		at = now
		tokens--
		mean += max(-tokens, 0) / float64(n)
	}
	return mean
}

// playTicker simulates a ticker that ticks at integers and keeps one tick.
func playTicker(rng *rand.Rand, rate float64, _, n int) (mean float64) {
	now, taken := 0.0, -1.0
	for range n {
		now += rng.ExpFloat64() / rate
		tick := max(math.Floor(now), taken+1)
		taken = tick
		mean += max(tick-now, 0) / float64(n)
	}
	return mean
}

func TestStartsErrors(t *testing.T) {
	_, err := theory.Ticker(theory.Starts{Rate: 100, Allowed: 100})
	if unstable, ok := errors.AsType[*theory.UnstableError](err); !ok || unstable.Utilisation != 1 {
		t.Errorf("at the rate itself: %v", err)
	}
	for _, s := range []theory.Starts{{}, {Rate: 1, Allowed: math.NaN(), Burst: 1},
		{Rate: 1, Allowed: 2}, {Rate: 1, Allowed: 2, Burst: 1, MeanService: -1},
		{Rate: math.Inf(1), Allowed: math.Inf(1), Burst: 1}} {
		if a, err := theory.TokenBucket(s); err == nil {
			t.Errorf("%+v: %+v", s, a)
		}
	}
}
