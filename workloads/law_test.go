package workloads_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/workloads"
)

var waitVariants = func() []string {
	var defaults []string
	for _, s := range workloads.All() {
		if s.Kind != workloads.Wait {
			continue
		}
		v, err := parse(s.Name)
		if err != nil {
			continue // a parameter has no default
		}
		w, err := v.Spec.New(1, v.Values)
		if _, endless := w.(workloads.Endless); err == nil && !endless {
			defaults = append(defaults, s.Name)
		}
	}
	return append(defaults, "constant:mean=3ms", "exponential:mean=1us",
		"lognormal:mean=2ms,c2=0.25", "bimodal:p=0.5,short=0s,long=2ms",
		"hyperexp:mean=1s,c2=1", "hyperexp:c2=64",
		"mixture:w1=0.5,d1=exp(1ms),w2=0,w3=0.3,d3=3ms,w8=0.2,d8=lognormal(2ms,1)",
		"mixture:w1=1,d1=lognormal(1ms,4),w2=0", "bounded_pareto:alpha=1,high=100ms",
		"bounded_pareto:alpha=2,low=1us,high=1ms", "bounded_pareto:alpha=4,high=5ms",
		"two_class:r=1", "two_class:mean=1us,r=3", "two_class:r=4.5",
		"trace:file=testdata/trace.csv,column=service",
		"priorities:time=lognormal(2ms,1),shares=1:2:3.5",
		"tenants:time=2ms,n=3,skew=noisy(0.6)", "deadlines:slack=0s")
}()

func TestWaitVariantsAreComplete(t *testing.T) {
	tested := map[string]bool{}
	for _, s := range waitVariants {
		v, err := parse(s)
		if err != nil {
			t.Fatal(err)
		}
		tested[v.Spec.Name] = true
	}
	for _, s := range workloads.All() {
		if s.Kind != workloads.Wait || tested[s.Name] {
			continue
		}
		if _, lawless := build(t, s.Name, 1).(workloads.Endless); !lawless {
			t.Errorf("%s is not among the waits under test", s.Name)
		}
	}
}

// moments returns E[X] to E[X⁴] in units of E[X], independent of package dist.
func moments(t *testing.T, d dist.Dist, unit float64) [5]float64 {
	t.Helper()
	var m [5]float64
	factorial := [5]float64{1, 1, 2, 6, 24}
	for k := range m {
		order := float64(k)
		switch d := d.(type) {
		case dist.Constant:
			m[k] = math.Pow(float64(d.Value)/unit, order)
		case dist.Exponential:
			m[k] = factorial[k] * math.Pow(d.M/unit, order)
		case dist.LogNormal:
			m[k] = math.Pow(d.MeanNS()/unit, order) * math.Pow(1+d.C2(), order*(order-1)/2)
		case dist.Pareto:
			low, high := d.Bounds()
			m[k] = paretoMoment(d.Alpha(), float64(low)/unit, float64(high)/unit, order)
		case dist.Mixture:
			for _, b := range d.Branches() {
				m[k] += b.P * moments(t, b.Dist, unit)[k]
			}
		default:
			t.Fatalf("no moments for %T", d)
		}
	}
	return m
}

// paretoMoment is the integral of xᵏ times the density α·lowᵅ·x^−(α+1)/(1 − (low/high)ᵅ).
func paretoMoment(alpha, low, high, k float64) float64 {
	integral := math.Log(high / low)
	if k != alpha {
		integral = (math.Pow(high, k-alpha) - math.Pow(low, k-alpha)) / (k - alpha)
	}
	return alpha * math.Pow(low, alpha) / (1 - math.Pow(low/high, alpha)) * integral
}

// With the mean as the unit of time, x̄ over n draws has the standard error √(C²/n). The average of
// (x−1)² is an unbiased estimate of C², because the mean is known. Its standard error is
// √((μ₄−C⁴)/n) where μ₄ = E[X⁴] − 4E[X³] + 6E[X²] − 3. Draws of neighbouring numbers or seeds must
// be independent: the average of (x−1)(y−1) has mean 0 and standard error C²/√n. The test allows
// five standard errors, and in its last term the rounding to nanoseconds.
func TestDrawsFollowTheLaw(t *testing.T) {
	const n = 200_000
	for _, s := range waitVariants {
		t.Run(s, func(t *testing.T) {
			w, other := build(t, s, 1), build(t, s, 2)
			distributed, ok := w.(workloads.Distributed)
			if !ok {
				t.Skip("follows no law")
			}
			law := distributed.Dist()
			unit := dist.MeanNS(law)
			m := moments(t, law, unit)
			c2 := m[2] - 1
			if math.Abs(m[1]-1) > 1e-12 || math.Abs(c2-w.C2()) > 1e-12*(1+c2) ||
				w.C2() != law.C2() || w.Mean() != law.Mean() {
				t.Fatalf("mean %v (%v of what the law says), C² %v; by the textbook C² is %v",
					w.Mean(), m[1], w.C2(), c2)
			}
			var mean, square, neighbours, seeds float64
			last := 0.0
			for seq := range uint64(n) {
				x := float64(w.(workloads.Timed).Time(seq))/unit - 1
				y := float64(other.(workloads.Timed).Time(seq))/unit - 1
				mean += x / n
				square += x * x / n
				neighbours += x * last / n
				seeds += x * y / n
				last = x
			}
			rounding := 0.5 / unit
			if se := math.Sqrt(c2 / n); math.Abs(mean) > 5*se+rounding {
				t.Errorf("the mean is off by %v of itself, more than %v", mean, 5*se)
			}
			mu4 := m[4] - 4*m[3] + 6*m[2] - 3
			if se := math.Sqrt(max(0, mu4-c2*c2) / n); math.Abs(square-c2) > 5*se+rounding {
				t.Errorf("C² is %v, want %v ± %v", square, c2, 5*se)
			}
			se := c2 / math.Sqrt(n)
			if math.Abs(neighbours) > 5*se+rounding {
				t.Errorf("neighbouring tasks have covariance %v, more than %v", neighbours, 5*se)
			}
			if math.Abs(seeds) > 5*se+rounding {
				t.Errorf("neighbouring seeds have covariance %v, more than %v", seeds, 5*se)
			}
		})
	}
}

func TestSameNumberIsTheSameTaskInAnyOrder(t *testing.T) {
	const n, goroutines = 2000, 8
	for _, s := range waitVariants {
		w, again := build(t, s, 7).(workloads.Timed), build(t, s, 7).(workloads.Timed)
		want := make([]time.Duration, n)
		for seq := range want {
			want[seq] = w.Time(uint64(seq))
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for _, seq := range rand.New(rand.NewPCG(3, uint64(g))).Perm(n) {
					if got := again.Time(uint64(seq)); got != want[seq] {
						t.Errorf("%s: task %d takes %v, and %v in another order", s,
							seq, want[seq], got)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// Draws must not change between versions, so old results stay comparable.
func TestDrawsComeFromSeedAndNumber(t *testing.T) {
	w := build(t, "exponential", 5).(workloads.Timed)
	for _, seq := range []uint64{0, 1, 1 << 63} {
		if got, want := w.Time(seq),
			dist.Exp(10*time.Millisecond).Sample(rand.New(rand.NewPCG(5, seq))); got != want {
			t.Errorf("task %d takes %v, want %v", seq, got, want)
		}
	}
}
