package statistics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestResolvable(t *testing.T) {
	for _, c := range []struct {
		p     float64
		least int
	}{{0.5, 6}, {0.9, 36}, {0.99, 368}, {0.999, 3688}} {
		if Resolvable(c.p, c.least-1) || !Resolvable(c.p, c.least) {
			t.Errorf("p%v: want resolvable from n = %d on", 100*c.p, c.least)
		}
	}
	if Resolvable(0.5, 0) {
		t.Error("nothing resolves nothing")
	}
}

// The p-quantile is the smallest value that a share p of the values does not exceed.
func TestNearestRank(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for p, want := range map[float64]int64{0.5: 50, 0.9: 90, 0.99: 99, 0.999: 100, 1: 100} {
		if got := NearestRanks(nil, slices.Clone(hundred), p)[0]; got != want {
			t.Errorf("p%v of 1…100 = %d, want %d", 100*p, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "n")
		permille := rapid.IntRange(1, 1000).Draw(t, "permille")
		r := rand.New(rand.NewPCG(1, uint64(n)))
		values := make([]int64, n)
		for i := range values {
			values[i] = r.Int64N(100)
		}
		got := NearestRanks(nil, values, float64(permille)/1000)[0]
		below, upTo := 0, 0
		for _, v := range values {
			if v < got {
				below++
			}
			if v <= got {
				upTo++
			}
		}
		if 1000*upTo < permille*n || 1000*below >= permille*n {
			t.Fatalf("p%v of %d values is %d: %d are below it and %d not above it",
				float64(permille)/10, n, got, below, upTo)
		}
	})
}

func randomValues(t *rapid.T, most int) (values, sorted []int64) {
	n := rapid.IntRange(1, most).Draw(t, "n")
	different := rapid.SampledFrom([]int64{1, 2, 10, 1 << 40}).Draw(t, "different")
	random := rand.New(rand.NewPCG(2, uint64(n)))
	values = make([]int64, n)
	for i := range values {
		values[i] = random.Int64N(different)
	}
	return values, slices.Sorted(slices.Values(values))
}

func TestSelected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, sorted := randomValues(t, 3000)
		n := len(values)
		switch rapid.IntRange(0, 3).Draw(t, "order") {
		case 0:
			slices.Sort(values)
		case 1:
			slices.Sort(values)
			slices.Reverse(values)
		case 2:
			slices.Sort(values[:n/2])
			slices.Sort(values[n/2:])
			slices.Reverse(values[n/2:])
		}
		ps := []float64{0.001, 0.5, 0.5, 0.9, 0.99, 0.999, 1}
		for i, got := range NearestRanks(nil, values, ps...) {
			if want := sorted[Rank(n, ps[i])-1]; got != want {
				t.Fatalf("p%v of %d values is %d, want %d", 100*ps[i], n, got, want)
			}
		}
		slices.Sort(values)
		if !slices.Equal(values, sorted) {
			t.Fatal("selecting has changed the values, and not only their order")
		}
	})
}

func BenchmarkQuantiles(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([]int64, 1_000_000)
	for b.Loop() {
		b.StopTimer()
		for i := range values {
			values[i] = int64(1e7 * random.ExpFloat64())
		}
		b.StartTimer()
		NearestRanks(nil, values, 0.5, 0.9, 0.99, 0.999)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(len(values)), "ns/value")
}

func TestRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values, sorted := randomValues(t, 1000)
		n, ranking := len(values), NewRanking(values)
		for range rapid.IntRange(1, 8).Draw(t, "asked") {
			p := float64(rapid.IntRange(0, 1000).Draw(t, "permille")) / 1000
			if got, want := ranking.At(p), sorted[Rank(n, p)-1]; got != want {
				t.Fatalf("p%v of %d values is %d, want %d", 100*p, n, got, want)
			}
		}
	})
}
