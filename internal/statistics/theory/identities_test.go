package theory

import (
	"math"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}

func queues(t *testing.T) map[string]*Answer {
	return map[string]*Answer{
		"M/M/1":        solve(t, 1, 1, 0.9),
		"M/M/2, θ = 1": must(MMk(Pool{1, 1, 2}))(t),
		"M/M/16":       solve(t, 16, 1, 0.95),
		"M/D/1":        solve(t, 1, 0, 0.8),
		"M/D/4":        solve(t, 4, 0, 0.8),
		"M/D/16":       solve(t, 16, 0, 0.5),
		"M/H2/1":       solve(t, 1, 4, 0.5),
		"M/H2/4":       solve(t, 4, 16, 0.7),
		"M/H2/16":      solve(t, 16, 4, 0.8),
		"M/M/1/3":      must(MMkK(Pool{1, 1, 1}, 2))(t),
		"M/M/4/4":      must(MMkK(Pool{3, 1, 4}, 0))(t),
		"M/M/4/20":     must(MMkK(Pool{6, 1, 4}, 16))(t),
		"M/M/4//12":    must(MMkN(Closed{12, 2, 1, 4}))(t),
		"M/M/4//12 0":  must(MMkN(Closed{12, 0, 1, 4}))(t),
		"M/M/1//1":     must(MMkN(Closed{1, 2, 1, 1}))(t),
	}
}

// integral returns ∫tail from 0 by eight-point Gauss rules on intervals of E[S]/2, which end at the
// kinks of M/D/k.
func integral(tail func(float64) (float64, bool)) float64 {
	nodes := [4][2]float64{{0.1834346424956498, 0.3626837833783620},
		{0.5255324099163290, 0.3137066458778873},
		{0.7966664774136267, 0.2223810344533745}, {0.9602898564975363, 0.1012285362903763}}
	total := 0.0
	for x := 0.0; ; x += 0.5 {
		piece := 0.0
		for _, n := range nodes {
			low, _ := tail(x + 0.25*(1-n[0]))
			high, _ := tail(x + 0.25*(1+n[0]))
			piece += 0.25 * n[1] * (low + high)
		}
		total += piece
		if piece <= 1e-13*total {
			return total
		}
	}
}

// Means and tails are computed independently, and E[X] = ∫P(X > t)dt.
func TestMeanIsIntegralOfTail(t *testing.T) {
	for name, a := range queues(t) {
		near(t, name+" wait", integral(a.WaitTail), a.MeanWait, 1e-10)
		near(t, name+" response", integral(a.ResponseTail), a.MeanResponse, 1e-10)
	}
}

func TestQuantileInvertsTail(t *testing.T) {
	for name, a := range queues(t) {
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.999999} {
			w, _ := a.WaitQuantile(q)
			if p, _ := a.WaitTail(w); w == 0 {
				if p > 1-q {
					t.Errorf("%s: wait quantile %v is 0, but P(W > 0) is %v", name, q, p)
				}
			} else {
				near(t, name+" wait", p, 1-q, 1e-11)
			}
			r, _ := a.ResponseQuantile(q)
			p, _ := a.ResponseTail(r)
			if jump, _ := a.ResponseTail(math.Nextafter(r, 0)); p > 1-q || jump < 1-q {
				near(t, name+" response", p, 1-q, 1e-11)
			}
		}
	}
}

func TestTailStartsAtWaitProb(t *testing.T) {
	for name, a := range queues(t) {
		p, _ := a.WaitTail(0)
		near(t, name, p, a.WaitProb, 1e-13)
		if p, _ := a.WaitTail(-1); p != 1 {
			t.Errorf("%s: P(W > −1) = %v", name, p)
		}
		if p, _ := a.ResponseTail(0); math.Abs(p-1) > 1e-13 {
			t.Errorf("%s: P(T > 0) = %v", name, p)
		}
		if p, _ := a.ResponseTail(math.Inf(1)); p != 0 {
			t.Errorf("%s: P(T > ∞) = %v", name, p)
		}
	}
}

func TestShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 24).Draw(t, "k")
		rho := rapid.Float64Range(0.001, 0.99).Draw(t, "rho")
		p := Pool{Rate: float64(k) * rho, MeanService: 1, Limit: k}
		var a *Answer
		var err error
		switch rapid.SampledFrom([]string{"M", "D", "H2", "K", "N"}).Draw(t, "model") {
		case "M":
			a, err = MMk(p)
		case "D":
			a, err = MDk(p)
		case "H2":
			var h H2
			h, err = BalancedH2(1, rapid.Float64Range(1, 100).Draw(t, "c2"))
			if err == nil {
				a, err = MH2k(p.Rate, h, k)
			}
		case "K":
			p.Rate *= rapid.Float64Range(0.1, 3).Draw(t, "overload")
			a, err = MMkK(p, rapid.IntRange(0, 100).Draw(t, "queue"))
		case "N":
			a, err = MMkN(Closed{rapid.IntRange(1, 60).Draw(t, "clients"),
				rapid.Float64Range(0, 9).Draw(t, "think"), 1, k})
		}
		if err != nil {
			t.Fatal(err)
		}
		if !(0 <= a.WaitProb && a.WaitProb <= 1 && 0 <= a.ShedProb && a.ShedProb <= 1 &&
			a.MeanWait >= 0) {
			t.Fatalf("%+v", a)
		}
		lastW, lastT := 0.0, 0.0
		for _, q := range []float64{0.1, 0.5, 0.9, 0.99, 0.9999} {
			w, _ := a.WaitQuantile(q)
			r, _ := a.ResponseQuantile(q)
			if !(lastW <= w && lastT <= r && w <= r) {
				t.Fatalf("%s: quantile %v: wait %v after %v, response %v after %v", a.Model, q,
					w, lastW, r, lastT)
			}
			lastW, lastT = w, r
		}
		last := 1.0
		for x := 0.0; x < 20; x += 0.37 {
			p, _ := a.ResponseTail(x)
			if !(p <= last*(1+1e-12) || last < 1e-25) || p < 0 {
				t.Fatalf("%s: P(T > %v) = %v after %v", a.Model, x, p, last)
			}
			last = p
		}
	})
}

func TestUnits(t *testing.T) {
	h := must(BalancedH2(1, 16))(t)
	hMs := must(BalancedH2(1000, 16))(t)
	for _, c := range []struct{ s, ms *Answer }{
		{must(MMk(Pool{3, 1, 4}))(t), must(MMk(Pool{0.003, 1000, 4}))(t)},
		{must(MDk(Pool{3, 1, 4}))(t), must(MDk(Pool{0.003, 1000, 4}))(t)},
		{must(MH2k(3, h, 4))(t), must(MH2k(0.003, hMs, 4))(t)},
		{must(MMkK(Pool{5, 1, 4}, 7))(t), must(MMkK(Pool{0.005, 1000, 4}, 7))(t)},
		{must(MMkN(Closed{9, 2, 1, 4}))(t), must(MMkN(Closed{9, 2000, 1000, 4}))(t)},
	} {
		near(t, c.s.Model+" P(wait)", c.ms.WaitProb, c.s.WaitProb, 1e-13)
		near(t, c.s.Model+" P(shed)", c.ms.ShedProb, c.s.ShedProb, 1e-13)
		near(t, c.s.Model+" in flight", c.ms.MeanInFlight, c.s.MeanInFlight, 1e-13)
		near(t, c.s.Model+" mean wait", c.ms.MeanWait, 1000*c.s.MeanWait, 1e-12)
		near(t, c.s.Model+" mean response", c.ms.MeanResponse, 1000*c.s.MeanResponse, 1e-12)
		near(t, c.s.Model+" throughput", 1000*c.ms.Throughput, c.s.Throughput, 1e-13)
		s, _ := c.s.ResponseQuantile(0.99)
		ms, _ := c.ms.ResponseQuantile(0.99)
		near(t, c.s.Model+" p99", ms, 1000*s, 1e-12)
		p, _ := c.ms.WaitTail(500)
		want, _ := c.s.WaitTail(0.5)
		near(t, c.s.Model+" tail", p, want, 1e-12)
	}
}

func TestConcurrentUse(t *testing.T) {
	for name, a := range queues(t) {
		want, _ := a.ResponseQuantile(0.99)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got, _ := a.ResponseQuantile(0.99); got != want {
					t.Errorf("%s: %v beside others, %v alone", name, got, want)
				}
			})
		}
		wg.Wait()
	}
}
