package theory

import (
	"fmt"
	"math"
	"testing"
)

func requireSame(t *testing.T, got, want *Answer, tolerance float64) {
	t.Helper()
	name := fmt.Sprintf("%s as %s: ", got.Model, want.Model)
	near(t, name+"P(wait)", got.WaitProb, want.WaitProb, tolerance)
	near(t, name+"mean wait", got.MeanWait, want.MeanWait, tolerance)
	near(t, name+"mean response", got.MeanResponse, want.MeanResponse, tolerance)
	near(t, name+"throughput", got.Throughput, want.Throughput, tolerance)
	near(t, name+"in flight", got.MeanInFlight, want.MeanInFlight, tolerance)
	if math.Abs(got.ShedProb-want.ShedProb) > tolerance {
		t.Errorf("%sP(shed): got %v, want %v", name, got.ShedProb, want.ShedProb)
	}
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99, 0.999} {
		w, ok := want.WaitQuantile(q)
		if got, has := got.WaitQuantile(q); ok && has {
			near(t, fmt.Sprintf("%swait quantile %v", name, q), got, w, 10*tolerance)
		}
		r, ok := want.ResponseQuantile(q)
		if got, has := got.ResponseQuantile(q); ok && has {
			near(t, fmt.Sprintf("%sresponse quantile %v", name, q), got, r, 10*tolerance)
		}
	}
}

func TestOneSlotIsPollaczekKhinchine(t *testing.T) {
	for _, rho := range []float64{0.01, 0.5, 0.9, 0.99} {
		p := Pool{rho, 1, 1}
		requireSame(t, must(MDk(p))(t), must(MG1(p, 0))(t), 1e-11)
		requireSame(t, must(MMk(p))(t), must(MG1(p, 1))(t), 1e-13)
		for _, c2 := range []float64{1, 2, 16, 1000} {
			requireSame(t, solve(t, 1, math.Nextafter(c2, 2000), rho), must(MG1(p, c2))(t), 1e-10)
		}
	}
}

func TestH2OfEqualBranchesIsExponential(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		p := Pool{rho * float64(k), 1, k}
		requireSame(t, must(MH2k(p.Rate, H2{0.5, 1, 1}, k))(t), must(MMk(p))(t), 1e-12)
		requireSame(t, must(MH2k(p.Rate, H2{0.01, 1, 1}, k))(t), must(MMk(p))(t), 1e-12)
	})
}

func TestH2BranchesSwap(t *testing.T) {
	requireSame(t, must(MH2k(2.8, H2{0.25, 3, 1.0 / 3}, 4))(t),
		must(MH2k(2.8, H2{0.75, 1.0 / 3, 3}, 4))(t), 1e-12)
}

func TestBalancedH2(t *testing.T) {
	for _, c2 := range []float64{1, 1 + 1e-9, 4, 64, 1e6} {
		h := must(BalancedH2(3, c2))(t)
		near(t, "mean", h.Mean(), 3, 1e-15)
		near(t, "C²", h.C2(), c2, 1e-12)
		near(t, "work of branch 1", h.P1*h.Mean1, 1.5, 1e-15)
	}
}

func TestLongQueueIsUnbounded(t *testing.T) {
	grid(t, func(t *testing.T, k int, rho float64) {
		p := Pool{rho * float64(k), 1, k}
		requireSame(t, must(MMkK(p, 3000))(t), must(MMk(p))(t), 1e-12)
	})
}

func TestNoQueueIsErlangLoss(t *testing.T) {
	for _, a := range []float64{1e-9, 1, 4, 40, 1e9} {
		p := Pool{a, 1, 4}
		requireSame(t, must(MMkK(p, 0))(t), must(MGkk(p))(t), 1e-13)
	}
}

// Far above saturation the queue is full, so a task waits for all tasks in it.
func TestOverload(t *testing.T) {
	a := must(MMkK(Pool{8, 1, 4}, 5000))(t)
	near(t, "P(shed)", a.ShedProb, 0.5, 1e-14)
	near(t, "throughput", a.Throughput, 4, 1e-14)
	near(t, "P(wait)", a.WaitProb, 1, 1e-14)
	// the last place is free half as often as taken: 5000 − 1 on average
	near(t, "mean wait", a.MeanWait, (5000-1)/4.0, 1e-12)
}

func TestBoundedQueueLittle(t *testing.T) {
	const k, queue, a = 3, 5, 2.5
	weight, total, waiting := 1.0, 0.0, 0.0
	for n := range k + queue + 1 {
		if n > 0 {
			weight *= a / float64(min(n, k))
		}
		total += weight
		waiting += weight * float64(max(0, n-k))
	}
	m := must(MMkK(Pool{a, 1, k}, queue))(t)
	near(t, "mean queue", m.Throughput*m.MeanWait, waiting/total, 1e-14)
}

// The arrival theorem uses one client fewer, time averages use all. Both must give the same
// throughput.
func TestClosedLoopByTimeAverages(t *testing.T) {
	for _, c := range []Closed{{1, 3, 1, 1}, {12, 2, 1, 4}, {40, 4, 0.5, 8},
		{500, 1, 1, 16}, {7, 0, 2, 3}} {
		a := must(MMkN(c))(t)
		running, total := 0.0, 0.0
		for n, w := range inPool(c.Clients, c.Think/c.MeanService, c.Limit) {
			running += w * float64(min(n, c.Limit))
			total += w
		}
		near(t, fmt.Sprintf("%+v in flight", c), a.MeanInFlight, running/total, 1e-12)
	}
}

func TestClosedLoopLimits(t *testing.T) {
	few := must(MMkN(Closed{Clients: 4, Think: 2, MeanService: 1, Limit: 4}))(t)
	if few.WaitProb != 0 || few.MeanWait != 0 || few.MeanResponse != 1 {
		t.Errorf("no more clients than slots, yet %+v", few)
	}
	busy := must(MMkN(Closed{Clients: 12, Think: 0, MeanService: 1, Limit: 4}))(t)
	near(t, "throughput without thinking", busy.Throughput, 4, 1e-15)
	if busy.WaitProb != 1 {
		t.Errorf("without thinking every task waits, not %v", busy.WaitProb)
	}
	// The task waits for eight completions of four slots, so P(W > t) is the probability of fewer
	// than eight Poisson events.
	want, term := 0.0, math.Exp(-4*1.5)
	for n := 1.0; n <= 8; n++ {
		want += term
		term *= 4 * 1.5 / n
	}
	got, _ := busy.WaitTail(1.5)
	near(t, "P(W > 1.5)", got, want, 1e-13)
	one := must(MMkN(Closed{Clients: 1, Think: 0, MeanService: 1, Limit: 1}))(t)
	p, _ := one.ResponseTail(2)
	near(t, "P(T > 2) alone", p, math.Exp(-2), 1e-13)
}

func TestWaitProbLimits(t *testing.T) {
	for _, c2 := range []float64{0, 1, 16} {
		for _, k := range []int{1, 4, 16} {
			last := 0.0
			for _, rho := range []float64{1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999} {
				a := solve(t, k, c2, rho)
				if !(a.WaitProb > last && a.WaitProb <= rho*(1+1e-12)) {
					t.Errorf("%s: P(wait) %v at ρ %v, %v before", a.Model, a.WaitProb, rho, last)
				}
				last = a.WaitProb
				if k > 1 && a.WaitProb >= solve(t, k/2, c2, rho).WaitProb {
					t.Errorf("%s: P(wait) at ρ %v is no less than with half the slots", a.Model,
						rho)
				}
			}
			if last < 1-0.001*(1+2*math.Sqrt(float64(k))) {
				t.Errorf("C² %v, k %d: P(wait) %v at ρ 0.999", c2, k, last)
			}
		}
	}
}

// Near θ = 1 the textbook formula (θe^{−t} − e^{−θt})/(θ−1) loses all digits.
func TestResponseAcrossThetaOne(t *testing.T) {
	at := func(rate float64) float64 {
		p, _ := must(MMk(Pool{rate, 1, 4}))(t).ResponseTail(2.5)
		return p
	}
	c, x := erlangC(4, 3), 2.5
	near(t, "at θ = 1", at(3), (1-c)*math.Exp(-x)+c*(1+x)*math.Exp(-x), 1e-15)
	near(t, "just below", at(3+1e-12), at(3), 1e-11)
	near(t, "just above", at(3-1e-12), at(3), 1e-11)
	c, theta := erlangC(4, 3.5), 0.5
	near(t, "θ = ½", at(3.5), (1-c)*math.Exp(-x)+
		c*(theta*math.Exp(-x)-math.Exp(-theta*x))/(theta-1), 1e-14)
}

func TestUnbounded(t *testing.T) {
	a := must(MGInf(Pool{Rate: 20, MeanService: 1}))(t)
	w, ok := a.WaitQuantile(0.999)
	if a.MeanInFlight != 20 || a.MeanWait != 0 || a.WaitProb != 0 ||
		a.MeanResponse != 1 || w != 0 || !ok {
		t.Errorf("%+v", a)
	}
	if _, ok := a.ResponseQuantile(0.5); ok {
		t.Error("the response is the service time, of which M/G/∞ says nothing")
	}
}

func (h H2) C2() float64 {
	m, d := h.Mean(), h.Mean1-h.Mean2
	return 1 + 2*h.P1*(1-h.P1)*(d/m)*(d/m)
}

func TestBatch(t *testing.T) {
	for _, c := range []struct {
		n, limit int
		want     float64
	}{{1, 1, 1}, {5, 1, 5}, {2, 2, 1.5}, {3, 100, 1 + 1.0/2 + 1.0/3},
		{64, 16, 3 + 2436559.0/720720}} {
		near(t, fmt.Sprintf("%d on %d", c.n, c.limit), must(BatchMakespan(c.n, 10, c.limit))(t),
			10*c.want, 1e-15)
	}
}

// If P(W > 0) underflows, the result is 0 and the search for quantiles must end.
func TestWaitRarerThanFloats(t *testing.T) {
	for _, c2 := range []float64{0, 1, 16} {
		a := solve(t, 100, c2, 1e-6)
		w, _ := a.WaitQuantile(0.999999)
		r, _ := a.ResponseQuantile(0.5)
		if a.WaitProb > 1e-300 || !(a.MeanWait <= 1e-300) || w != 0 || !(r > 0 && r < 2) {
			t.Errorf("%s: %+v, wait quantile %v, response %v", a.Model, a, w, r)
		}
		near(t, a.Model+" mean response", a.MeanResponse, 1, 1e-15)
	}
}
