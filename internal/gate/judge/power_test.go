package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// The tolerance is 5 percentage points, or 10 for six changes, plus three standard errors.
func TestSignedRankPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	draws := 4000
	if testing.Short() {
		draws = 1000
	}
	for i, n := range []int{6, 10, 20, 40} {
		if testing.Short() && i%2 != 0 {
			continue
		}
		tolerance := 0.05
		if n == 6 {
			tolerance = 0.1
		}
		for _, alpha := range []float64{0.25, 0.05, 0.0025} {
			sum := criticalSignedRank(n, alpha)
			if sum < 0 {
				if n > 6 {
					t.Errorf("%d changes are never significant at %v", n, alpha)
				}
				continue
			}
			for _, shift := range []float64{0, 0.25, 0.5, 1, 2} {
				hits := 0
				for range draws {
					changes := make([]float64, n)
					for i := range changes {
						changes[i] = shift + rng.NormFloat64()
					}
					if newSignedRank(changes).Greater <= alpha {
						hits++
					}
				}
				found := float64(hits) / float64(draws)
				if got := newShifted(shift).power(n, sum); math.Abs(got-found) > tolerance+
					3*0.5/math.Sqrt(float64(draws)) {
					t.Errorf("%d changes shifted by %v: %.3f at %v, found %.3f", n, shift,
						got, alpha, found)
				}
			}
		}
	}
}

func TestSignedRankPowerEnds(t *testing.T) {
	if got := newShifted(0).power(20,
		105); math.Abs(got-normalCDF(0.5/math.Sqrt(20*21*41/24.0))) > 1e-9 {
		t.Errorf("%v up to the middle", got)
	}
	for _, shift := range []float64{5, 40, 100} {
		if got := newShifted(shift).power(20, 0); got < 0.99 {
			t.Errorf("%v with a shift of %v", got, shift)
		}
	}
	if got := owenT(0, 1); math.Abs(got-1.0/8) > 1e-12 {
		t.Errorf("T(0, 1) = %v", got)
	}
	if got, want := owenT(1, 1), normalCDF(1)*normalCDF(-1)/2; math.Abs(got-want) > 1e-12 {
		t.Errorf("T(1, 1) = %v, want %v", got, want)
	}
}

func TestNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, paired := range []bool{true, false} {
		judged := func(n int) Row {
			s := Sample{Metric: times("b"), Pairs: noisy(rng, n, 0.2, 1)}
			if !paired {
				s.Base, s.Head = sides(s.Pairs)
				s.Pairs = nil
			}
			r, err := JudgeOnce(Defaults(), []Sample{s})
			if err != nil {
				t.Fatal(err)
			}
			return r.Rows[0]
		}
		open, decided := 0, 0
		for range 100 {
			row := judged(20)
			if row.Verdict != verdict.Inconclusive {
				continue
			}
			open++
			if !row.Undecided || row.Needs <= 20 ||
				!strings.Contains(row.Reason, fmt.Sprintf("(--count %d)", row.Needs)) {
				t.Fatalf("%+v", row)
			}
			if judged(row.Needs).Verdict != verdict.Inconclusive {
				decided++
			}
		}
		if open < 30 || decided < open*7/10 {
			t.Errorf("paired %v: %d open, and %d decided by what they need", paired, open, decided)
		}
	}
}
