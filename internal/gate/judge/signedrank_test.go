package judge

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// Critical values from textbooks: Wilcoxon and Wilcox 1964; Siegel, table G.
func TestCriticalSignedRank(t *testing.T) {
	for _, column := range []struct {
		tail  float64
		first int
		want  []int
	}{
		{0.05, 4, []int{-1, 0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 30, 35, 41, 47, 53, 60}},
		{0.025, 5, []int{-1, 0, 2, 3, 5, 8, 10, 13, 17, 21, 25, 29, 34, 40, 46, 52}},
		{0.01, 6, []int{-1, 0, 1, 3, 5, 7, 9, 12, 15, 19, 23, 27, 32, 37, 43}},
		{0.005, 7, []int{-1, 0, 1, 3, 5, 7, 9, 12, 15, 19, 23, 27, 32, 37}},
	} {
		for i, want := range column.want {
			if n := column.first + i; criticalSignedRank(n, column.tail) != want {
				t.Errorf("n = %d, tail %v: %d, want %d", n, column.tail,
					criticalSignedRank(n, column.tail), want)
			}
		}
	}
}

func TestNormalSignedRank(t *testing.T) {
	ranks := make([]int, signedRankLimit)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	var less float64
	for s, p := range signSums(ranks) {
		if less += p; s%2 != 0 || less < 0.001 || less > 0.04 {
			continue
		}
		approximate, _ := normalSignedRank(ranks, s)
		if excess := approximate/less - 1; excess < 0 || excess > 0.11 ||
			less > 0.01 && excess > 0.03 {
			t.Errorf("P(W ≤ %d) is %v, approximately %v", s/2, less, approximate)
		}
	}
	for _, tail := range []float64{0.025, 0.005, 0.001} {
		// The mean grows by 50.5, and its distance to the critical value by 9 to 14. The error of
		// the approximation is up to 10.
		if growth := criticalSignedRank(signedRankLimit+1,
			tail) - criticalSignedRank(signedRankLimit, tail); growth < 26 || growth > 42 {
			t.Errorf("tail %v: the critical value grows by %d", tail, growth)
		}
	}
	if criticalSignedRank(signedRankLimit+1, 1e-300) != -1 {
		t.Error("a tail out of reach has a critical value")
	}
	if r := newSignedRank(make([]float64, signedRankLimit+1)); r.Less != 1 || r.Greater != 1 {
		t.Errorf("nothing but zeros: %+v", r)
	}
}

func TestMinPairs(t *testing.T) {
	for tests, want := range map[float64]int{1: 5, 20: 9, 50: 10, 200: 12} {
		if got := MinPairs(0.05 / tests); got != want {
			t.Errorf("%v tests: %d, want %d", tests, got, want)
		}
	}
}

func someChanges(least, most int) *rapid.Generator[[]float64] {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(-4, 4), func(i int) float64 {
		switch i {
		case 4:
			return math.Inf(1)
		case -4:
			return math.Inf(-1)
		}
		return float64(i) / 8
	}), least, most)
}

func TestSignedRankIsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := someChanges(0, 9).Draw(t, "changes")
		got := newSignedRank(changes)
		var atMost, atLeast float64
		signed := make([]float64, len(changes))
		for mask := range 1 << len(changes) {
			for i, c := range changes {
				signed[i] = math.Abs(c) * float64(1-2*(mask>>i&1))
			}
			w := bruteW(signed)
			if w <= got.W {
				atMost++
			}
			if w >= got.W {
				atLeast++
			}
		}
		all := float64(int(1) << len(changes))
		if got.W != bruteW(changes) || math.Abs(got.Less-atMost/all) > 1e-12 ||
			math.Abs(got.Greater-atLeast/all) > 1e-12 {
			t.Fatalf("%+v; want %v, %v, %v", got, bruteW(changes), atMost/all, atLeast/all)
		}
	})
}

func bruteW(changes []float64) (w float64) {
	for _, c := range changes {
		if c <= 0 {
			continue
		}
		rank := 0.5
		for _, other := range changes {
			switch size := math.Abs(other); {
			case size < c:
				rank++
			case size == c:
				rank += 0.5
			}
		}
		w += rank
	}
	return w
}

func TestSignedRankSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := someChanges(1, 8).Draw(t, "changes")
		alpha := rapid.Float64Range(0.004, 0.3).Draw(t, "alpha")
		hits := 0
		signed := make([]float64, len(sizes))
		for mask := range 1 << len(sizes) {
			for i, c := range sizes {
				signed[i] = math.Abs(c) * float64(1-2*(mask>>i&1))
			}
			if newSignedRank(signed).Greater <= alpha {
				hits++
			}
		}
		if share := float64(hits) / float64(int(1)<<len(sizes)); share > alpha {
			t.Fatalf("a share of %v has p ≤ %v", share, alpha)
		}
	})
}

func TestSignedRankTurnsAbout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := someChanges(1, 30).Draw(t, "changes")
		turned := minus(make([]float64, len(changes)), 0)
		for i, c := range changes {
			turned[i] = -c
		}
		a, b := newSignedRank(changes), newSignedRank(turned)
		if math.Abs(a.Less-b.Greater) > 1e-12 || math.Abs(a.Greater-b.Less) > 1e-12 {
			t.Fatalf("%+v, turned about %+v", a, b)
		}
		if a.Less+a.Greater < 1-1e-12 || a.Less > 1+1e-12 || a.Less < minP(len(changes)) {
			t.Fatalf("%+v of %d", a, len(changes))
		}
	})
}

// Changes of 2→3 and 3→2 must tie despite rounding errors.
func TestTiesSurviveRounding(t *testing.T) {
	changes := []float64{worsening(2, 3, verdict.LowerIsBetter),
		worsening(3, 2, verdict.LowerIsBetter),
		worsening(20, 30, verdict.LowerIsBetter), worsening(7, 7, verdict.LowerIsBetter)}
	ranks, positive := signedMidranks(changes)
	if len(ranks) != 3 || ranks[0] != 6 || ranks[2] != 6 || positive != 12 {
		t.Errorf("ranks %v, positive %d", ranks, positive)
	}
}

// A change from −0 must be infinite, not NaN.
func TestSignedZero(t *testing.T) {
	zero := math.Copysign(0, -1)
	for better, want := range map[verdict.Direction]float64{verdict.LowerIsBetter: math.Inf(1),
		verdict.HigherIsBetter: math.Inf(-1)} {
		if got := worsening(zero, 5, better); got != want {
			t.Errorf("from −0 to 5: %v, want %v", got, want)
		}
		if got := worsening(5, zero, better); got != -want {
			t.Errorf("from 5 to −0: %v, want %v", got, -want)
		}
		if got := worsening(zero, 0, better); got != 0 {
			t.Errorf("from −0 to 0: %v", got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("NaN has a rank")
		}
	}()
	newSignedRank([]float64{1, math.NaN()})
}
