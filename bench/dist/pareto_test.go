package dist_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// The moments are integrals calculated by hand, in ms, for the bounds 1 and 4.
func TestParetoMoments(t *testing.T) {
	for alpha, want := range map[float64]struct{ mean, square float64 }{
		1:   {4. / 3 * math.Log(4), 4},        // density 4/3·x⁻²
		2:   {8. / 5, 32. / 15 * math.Log(4)}, // density 32/15·x⁻³
		3:   {10. / 7, 16. / 7},               // density 64/21·x⁻⁴
		0.5: {2, 14. / 3},                     // density x^−1.5
		// near the special cases digits must not cancel
		1 + 1e-12: {4. / 3 * math.Log(4), 4},
		2 - 1e-12: {8. / 5, 32. / 15 * math.Log(4)}, //
		1000:      {1000. / 999, 1000. / 998},       // practically unbounded
		// almost log-uniform
		0.001: {3 / math.Log(4) * 0.99925, 7.5 / math.Log(4)},
	} {
		p, err := dist.NewPareto(alpha, time.Millisecond, 4*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		precision := 1e-11
		if alpha == 0.001 {
			precision = 1e-3
		}
		mean, square := p.MeanNS()/1e6, (1+p.C2())*p.MeanNS()*p.MeanNS()/1e12
		if math.Abs(mean/want.mean-1) > precision || math.Abs(square/want.square-1) > precision {
			t.Errorf("alpha %v: E[X] = %v, E[X²] = %v; want %v, %v", alpha, mean, square,
				want.mean, want.square)
		}
	}
}

func TestParetoStaysWithinItsBounds(t *testing.T) {
	for _, alpha := range []float64{0.001, 1, 2, 1000} {
		p, err := dist.NewPareto(alpha, 10, 20)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		for range 10_000 {
			if x := p.Sample(r); x < 10 || x > 20 {
				t.Fatalf("alpha %v: drew %v, want 10ns to 20ns", alpha, x)
			}
		}
	}
}
