package theory

import (
	"errors"
	"math"
	"testing"
)

func TestCobham(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: %.15g, want %.15g", what, got, want)
		}
	}
	// M/M/1, λ = 0.2 and 0.6, E[S] = 1: W_0 = ρ = 0.8; W = 0.8/(1·0.8) and 0.8/(0.8·0.2).
	_, waits, err := PriorityMMk(Pool{Rate: 0.8, MeanService: 1, Limit: 1}, []float64{0.25, 0.75})
	if err != nil {
		t.Fatal(err)
	}
	near("M/M/1, urgent", waits[0], 1)
	near("M/M/1, others", waits[1], 5)
	// M/D/1, three classes of a third at ρ = 0.75: W_0 = 0.375; σ = 1/4, 1/2, 3/4.
	_, waits, err = PriorityMG1(Pool{Rate: 0.375, MeanService: 2, Limit: 1}, 0,
		[]float64{1. / 3, 1. / 3, 1. / 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.5, 1, 3} {
		near("M/D/1", waits[i], 2*want)
	}
	for _, bad := range [][]float64{{0.5, 0.4}, {1, 0}, {}} {
		if _, _, err := PriorityMMk(Pool{Rate: 1, MeanService: 0.5, Limit: 1}, bad); err == nil {
			t.Errorf("shares %v: no error", bad)
		}
	}
	var unstable *UnstableError
	if _, _, err := PriorityMG1(Pool{Rate: 2, MeanService: 0.5, Limit: 1}, 0,
		[]float64{0.5, 0.5}); !errors.As(err, &unstable) {
		t.Errorf("at utilisation 1: %v", err)
	}
}

// By Kleinrock's conservation law the mean wait, weighted by the classes' loads, equals the wait
// without priorities.
func TestPriorityConservation(t *testing.T) {
	for _, k := range []int{1, 4, 64} {
		for _, load := range []float64{0.1, 0.8, 0.99} {
			p := Pool{Rate: load * float64(k) / 3, MeanService: 3, Limit: k}
			shares := []float64{0.05, 0.15, 0.3, 0.5}
			a, waits, err := PriorityMMk(p, shares)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i, share := range shares {
				sum += share * waits[i]
				if i > 0 && waits[i] <= waits[i-1] {
					t.Errorf("M/M/%d at %v: class %d waits no longer than the one before", k, load, i)
				}
			}
			if math.Abs(sum/a.MeanWait-1) > 1e-12 {
				t.Errorf("M/M/%d at %v: the classes wait for %v, all for %v", k, load, sum, a.MeanWait)
			}
		}
	}
}
