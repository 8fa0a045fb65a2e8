package theory

import (
	"math"
	"testing"
)

// The values were computed with 40 and 50 digits, from the same balance equations by other methods:
// dense inverses and matrix exponentials for M/H2/k, Spitzer's and Franx's sums for M/D/k.

func TestFiftyDigits(t *testing.T) {
	type value struct {
		what      string
		got, want float64
		tolerance float64
	}
	var values []value
	add := func(tolerance float64, what string, got, want float64) {
		values = append(values, value{what, got, want, tolerance})
	}
	tail := func(a *Answer, x float64) float64 { p, _ := a.WaitTail(x); return p }
	response := func(a *Answer, q float64) float64 { x, _ := a.ResponseQuantile(q); return x }

	a := solve(t, 4, 16, 0.7)
	add(1e-13, "M/H2/4 C² 16 ρ 0.7 mean wait", a.MeanWait, 2.35523713359437229)
	add(1e-13, "… P(W>0)", a.WaitProb, 0.454069081835853582)
	add(1e-12, "… p50 response", response(a, 0.5), 0.772891705337996038)
	add(1e-12, "… p99 response", response(a, 0.99), 34.5152258119865898)
	a = solve(t, 16, 64, 0.95)
	add(1e-12, "M/H2/16 C² 64 ρ 0.95 mean wait", a.MeanWait, 28.3318853840362268)
	add(1e-13, "… P(W>0)", a.WaitProb, 0.809761351233361965)
	add(1e-12, "… p50 response", response(a, 0.5), 12.8669915480403401)
	add(1e-12, "… p99 response", response(a, 0.99), 182.583847634890134)
	a = solve(t, 8, 64, 0.5)
	add(1e-13, "M/H2/8 C² 64 ρ 0.5 mean wait", a.MeanWait, 0.13891481687154053)
	add(1e-12, "… p99 response", response(a, 0.99), 11.5149313229638316)
	a = solve(t, 64, 64, 0.1)
	add(1e-12, "M/H2/64 C² 64 ρ 0.1 mean wait", a.MeanWait, 1.01924182509429874e-42)
	add(1e-12, "… P(W>0)", a.WaitProb, 5.74426397716024086e-41)
	for _, r := range []struct{ rho, wait, prob float64 }{
		{0.5, 0.088134640001979769, 0.174048832516169067},
		{0.9, 13.2314074998518866, 0.787999936769622232},
	} {
		h := H2{P1: 1e-6, Mean1: 2739.6114182190945, Mean2: 0.9972613858431667}
		a = must(MH2k(4*r.rho/h.Mean(), h, 4))(t)
		add(1e-12, "M/H2/4, one task in a million is long: mean wait", a.MeanWait, r.wait)
		add(1e-13, "… P(W>0)", a.WaitProb, r.prob)
	}

	a = solve(t, 4, 0, 0.8)
	add(1e-13, "M/D/4 ρ 0.8 mean wait", a.MeanWait, 0.386094930846916904)
	add(1e-13, "… P(W>0)", a.WaitProb, 0.578282015456754562)
	add(1e-12, "… P(W>0.3)", tail(a, 0.3), 0.404588379799681819)
	add(1e-9, "… P(W>10)", tail(a, 10), 2.2523365624144692e-8)
	a = solve(t, 16, 0, 0.5)
	add(1e-12, "M/D/16 ρ 0.5 mean wait", a.MeanWait, 0.000810233998608917773)
	add(1e-12, "… P(W>0)", a.WaitProb, 0.00833774077102290214)
	add(1e-9, "… P(W>0.9)", tail(a, 0.9), 1.72143527490648619e-9)
	a = solve(t, 16, 0, 0.8)
	add(1e-9, "M/D/16 ρ 0.8 P(W>3)", tail(a, 3), 4.44837721284128947e-10)
	a = solve(t, 2, 0, 0.9)
	add(1e-10, "M/D/2 ρ 0.9 P(W>30)", tail(a, 30), 3.57020802697147654e-6)

	for _, v := range values {
		off := math.Abs(v.got/v.want - 1)
		t.Logf("%-50s %.1e", v.what, off)
		if !(off <= v.tolerance) {
			t.Errorf("%s: got %.17g, exact %.17g, off by %.1e", v.what, v.got, v.want, off)
		}
	}
}

func TestAnchors(t *testing.T) {
	c := newCheck(t)
	q := func(of func(float64) (float64, bool), q float64) float64 { v, _ := of(q); return v }

	a := solve(t, 4, 1, 0.8)
	c.value("A1", "mean wait", a.MeanWait, 0.7455405897342559, 1e-14)
	c.value("A1", "P(wait)", a.WaitProb, 0.5964324717874046, 1e-14)
	c.value("A1", "p50", q(a.ResponseQuantile, 0.5), 1.3461990538194186, 1e-11)
	c.value("A1", "p99", q(a.ResponseQuantile, 0.99), 6.893203748883025, 1e-11)
	a = solve(t, 4, 0, 0.8)
	c.value("A2", "mean wait", a.MeanWait, 0.38609493084822544, 1e-11)
	c.value("A2", "P(wait)", a.WaitProb, 0.5782820154567708, 1e-11)
	c.value("A2", "p99", q(a.ResponseQuantile, 0.99), 3.4545844074100387, 1e-11)
	a = solve(t, 4, 16, 0.7)
	c.value("A3", "mean wait", a.MeanWait, 2.3552371335943776, 1e-13)
	c.value("A3", "P(wait)", a.WaitProb, 0.45406908183585326, 1e-13)
	c.value("A3", "p99", q(a.ResponseQuantile, 0.99), 34.515225799768814, 34*inverted)
	b := must(MGkk(Pool{4, 1, 4}))(t)
	c.value("A4", "P(shed)", b.ShedProb, 0.31067961165048547, 1e-16)

	// 95 % of the tasks take 1 ms on one slot, the others 50 ms on three.
	rate := 4 * 0.8 / (0.95*1 + 0.05*50)
	short := must(MDk(Pool{0.95 * rate, 1, 1}))(t)
	long := must(MDk(Pool{0.05 * rate, 50, 3}))(t)
	c.value("A6", "short mean", short.MeanResponse, 4.707317073167353, 1e-11)
	c.value("A6", "short p99", q(short.ResponseQuantile, 0.99), 19.24247487755929, 1e-10)
	c.value("A6", "long mean", long.MeanResponse, 72.8632182084041, 1e-9)
	c.value("A6", "long p99", q(long.ResponseQuantile, 0.99), 193.11151378046816, 1e-9)

	d := must(MMkN(Closed{Clients: 12, Think: 2, MeanService: 1, Limit: 4}))(t)
	c.value("closed", "X", d.Throughput, 3.5475243275869555, 1e-14)
	c.value("closed", "R", d.MeanResponse, 1.3826406507443074, 1e-14)
	m := must(BatchMakespan(1000, 1, 4))(t)
	c.value("batch", "makespan", m, 249+25.0/12, 0)
}
