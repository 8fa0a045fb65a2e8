package theory

import (
	"math"
	"testing"
)

// The example of Garnett, Mandelbaum and Reiman (2002): 50 agents, 48 calls/min, mean service 1
// min, mean patience 2 min. The mean wait of 3.7 s is the share that gives up times the mean
// patience.
func TestErlangAPublished(t *testing.T) {
	got := Must(MMkM(Pool{Rate: 48, MeanService: 1, Limit: 50}, 2))
	if math.Abs(got.GaveUpProb-0.031) > 0.0005 || math.Abs(got.GaveUpProb*2*60-3.7) > 0.05 ||
		math.Abs(got.MeanInFlight/50-0.93) > 0.005 {
		t.Errorf("%+v", got)
	}
}

// If patience and service have the same mean, the number of tasks is Poisson, as without a limit.
func TestErlangAPoisson(t *testing.T) {
	for _, p := range []Pool{{Rate: 0.5, MeanService: 1, Limit: 1}, {Rate: 400, MeanService: 0.01,
		Limit: 4}, {Rate: 30, MeanService: 1, Limit: 8}, {Rate: 1000, MeanService: 1, Limit: 300}} {
		a, weight, beyond, full := p.Offered(), 0.0, 0.0, 0.0
		for n := 0; n < 5000; n++ {
			lgamma, _ := math.Lgamma(float64(n + 1))
			weight = math.Exp(float64(n)*math.Log(a) - a - lgamma)
			beyond += weight * max(float64(n-p.Limit), 0)
			if n >= p.Limit {
				full += weight
			}
		}
		got := Must(MMkM(p, p.MeanService))
		gaveUp := beyond / a
		waited := (full - gaveUp) / (1 - gaveUp)
		if math.Abs(got.GaveUpProb/gaveUp-1) > 1e-10 || math.Abs(got.WaitProb/waited-1) > 1e-10 ||
			math.Abs(got.Throughput/(p.Rate*(1-gaveUp))-1) > 1e-10 {
			t.Errorf("%+v: %+v, want %v to give up and %v to wait", p, got, gaveUp, waited)
		}
	}
}

// With infinite patience the queue is M/M/k, without patience M/M/k/k.
func TestErlangALimits(t *testing.T) {
	p := Pool{Rate: 320, MeanService: 0.01, Limit: 4}
	patient, want := Must(MMkM(p, 1e9)), Must(MMk(p))
	if math.Abs(patient.MeanWait/want.MeanWait-1) > 1e-6 ||
		math.Abs(patient.WaitProb/want.WaitProb-1) > 1e-6 || patient.GaveUpProb > 1e-8 {
		t.Errorf("patient: %+v, want %+v", patient, want)
	}
	hasty, loss := Must(MMkM(p, 1e-12)), Must(MGkk(p))
	if math.Abs(hasty.GaveUpProb/loss.ShedProb-1) > 1e-6 || hasty.MeanWait > 1e-9 {
		t.Errorf("hasty: %+v, want %+v", hasty, loss)
	}
	for _, patience := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := MMkM(p, patience); err == nil {
			t.Errorf("patience %v: no error", patience)
		}
	}
}

// The virtual wait of M/M/1+M has a density proportional to exp(−µx + λ(1 − e^{−θx})/θ) (Baccelli
// and Hebuterne 1981).
func TestErlangAOneSlot(t *testing.T) {
	const lambda, theta = 1.5, 0.4
	density := func(x float64) float64 {
		return lambda * math.Exp(-x+lambda*(1-math.Exp(-theta*x))/theta)
	}
	mass, started, wait := 1.0, 1.0, 0.0 // weight of the empty system
	const step = 1e-4
	for x := step / 2; x < 60; x += step {
		w := density(x) * step
		mass += w
		started += w * math.Exp(-theta*x)
		wait += w * math.Exp(-theta*x) * x
	}
	got := Must(MMkM(Pool{Rate: lambda, MeanService: 1, Limit: 1}, 1/theta))
	if math.Abs(got.GaveUpProb-(1-started/mass)) > 1e-7 ||
		math.Abs(got.MeanWait-wait/started) > 1e-7 {
		t.Errorf("%+v, want %v to give up and a mean wait of %v", got, 1-started/mass, wait/started)
	}
}
