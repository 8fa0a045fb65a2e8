package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func mustHistogram(t rapid.TB, values []float64) Histogram {
	t.Helper()
	slices.Sort(values)
	var bins []Bin
	for _, v := range values {
		bins = append(bins, Bin{v, 1})
	}
	h, err := NewHistogram(bins)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	h := mustHistogram(t, hundred)
	for q, want := range map[float64]float64{0.001: 1, 0.01: 1, 0.0101: 2, 0.07: 7, 0.5: 50,
		0.57: 57, 0.99: 99, 0.991: 100, 0.999: 100} {
		if got := h.Quantile(q); got != want {
			t.Errorf("%v: %v, want %v", q, got, want)
		}
	}
	binned, err := NewHistogram([]Bin{{1, 98}, {5, 0}, {7, 1}, {7, 1}})
	if err != nil || binned.Total() != 100 || binned.Quantile(0.98) != 1 ||
		binned.Quantile(0.99) != 7 {
		t.Errorf("%+v %v", binned, err)
	}
	for q, want := range map[float64]int64{0.5: 6, 0.9: 36, 0.99: 368, 0.999: 3688} {
		if got := Resolvable(q); got != want {
			t.Errorf("%v: %d values, want %d", q, got, want)
		}
	}
}

func TestHistogramRefuses(t *testing.T) {
	for _, bins := range [][]Bin{{{2, 1}, {1, 1}}, {{1, -1}}, {{-1, 1}}, {{math.NaN(), 1}},
		{{math.Inf(1), 1}}} {
		if _, err := NewHistogram(bins); err == nil {
			t.Errorf("%v passes", bins)
		}
	}
}

func TestSwapIsEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := rapid.Custom(func(t *rapid.T) []float64 {
			return rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 30),
				func(i int) float64 { return float64(i) }), 1, 12).Draw(t, "run")
		})
		n := rapid.IntRange(1, 6).Draw(t, "pairs")
		q := rapid.SampledFrom([]float64{0.1, 0.5, 0.75, 0.9, 0.99}).Draw(t, "q")
		scale := rapid.SampledFrom([]float64{1, 1.02, 1 / 1.02}).Draw(t, "scale")
		var pairs []TailPair
		var runs [][2][]float64
		for range n {
			base, head := run.Draw(t, "base"), run.Draw(t, "head")
			pairs = append(pairs, TailPair{mustHistogram(t, base), mustHistogram(t, head)})
			scaled := make([]float64, len(base))
			for i, v := range base {
				scaled[i] = v * scale
			}
			runs = append(runs, [2][]float64{scaled, head})
		}
		ratio := func(mask int) float64 {
			var arms [2][]float64
			for i, r := range runs {
				flip := mask >> i & 1
				arms[0], arms[1] = append(arms[0], r[flip]...), append(arms[1], r[1-flip]...)
			}
			var quantiles [2]float64
			for i, arm := range arms {
				slices.Sort(arm)
				quantiles[i] = arm[int(math.Ceil(q*float64(len(arm))-1e-9))-1]
			}
			return worsening(quantiles[0], quantiles[1], verdict.LowerIsBetter)
		}
		var atLeast, atMost float64
		for mask := range 1 << n {
			if r := ratio(mask); r >= ratio(0)-1e-12 {
				atLeast++
			}
			if r := ratio(mask); r <= ratio(0)+1e-12 {
				atMost++
			}
		}
		greater, less := swapTest(q, pairs, scale, swapDraws, 1)
		if all := float64(int(1) << n); greater != atLeast/all || less != atMost/all {
			t.Fatalf("%v and %v, want %v and %v", greater, less, atLeast/all, atMost/all)
		}
	})
}

func drawTails(t rapid.TB, rng *rand.Rand, n, requests int, factor float64) []TailPair {
	t.Helper()
	pairs := make([]TailPair, n)
	for i := range pairs {
		var arms [2]Histogram
		for a := range arms {
			values := make([]float64, requests)
			for k := range values {
				values[k] = math.Exp(0.5 * rng.NormFloat64())
			}
			slices.Sort(values)
			if a == 1 {
				for k := requests * 95 / 100; k < requests; k++ {
					values[k] *= factor
				}
			}
			arms[a] = mustHistogram(t, values)
		}
		pairs[i] = TailPair{arms[0], arms[1]}
	}
	return pairs
}

// A quarter of the 8192 swaps is drawn, so at p = 0.05 the standard deviation is 0.005.
func TestDrawnSwapsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 8 {
		pairs := drawTails(t, rng, 13, 400, 1.1)
		drawn, drawnLess := swapTest(0.99, pairs, 1, swapDraws, 5)
		again, _ := swapTest(0.99, pairs, 1, swapDraws, 5)
		s := newSwaps(0.99, pairs, 1)
		swapped := make([]bool, 13)
		observed := s.ratio(swapped)
		k := 0
		for mask := range 1 << 13 {
			for i := range swapped {
				swapped[i] = mask>>i&1 == 1
			}
			if s.ratio(swapped) >= observed-roundoff {
				k++
			}
		}
		all := float64(k) / (1 << 13)
		if sd := math.Sqrt(all * (1 - all) / swapDraws); math.Abs(drawn-all) > 4*sd+
			1.0/(swapDraws+1) {
			t.Errorf("drawn %v, all %v", drawn, all)
		}
		if drawn != again || drawn+drawnLess < 1 || drawn < 1.0/(swapDraws+1) {
			t.Errorf("drawn %v, again %v, below %v", drawn, again, drawnLess)
		}
	}
}

func TestTailVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	p99 := Metric{Benchmark: "b", Unit: "p99-response-sec",
		Better: verdict.LowerIsBetter, Quantile: 0.99}
	for _, test := range []struct {
		factor float64
		want   verdict.Verdict
	}{{1, verdict.NoWorse}, {1.4, verdict.Worse}, {0.7, verdict.Better}} {
		e, err := Weigh(Defaults(), 1,
			Sample{Metric: p99, Tails: drawTails(t, rng, 12, 4000, test.factor)})
		if err != nil {
			t.Fatal(err)
		}
		rows, _ := concluded(Defaults(), e)
		row := Row{Metric: p99, Verdict: rows[0].Verdict, Evidence: e}
		factor := verdict.Number(test.factor)
		if said := row.reportRow(); said.Verdict != test.want || said.Lo > factor ||
			said.Hi < factor || said.Ratio < said.Lo || said.Ratio > said.Hi {
			t.Errorf("%v: %+v", test.factor, said)
		}
	}
	_, err := Weigh(Defaults(), 1, Sample{Metric: p99, Tails: drawTails(t, rng, 2, 367, 1)})
	if want := "p99-response-sec of b: pair 1: 367 values do not resolve the 0.99 quantile: 368 " +
		"are needed"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestEnoughDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	s := Sample{Metric: Metric{Benchmark: "b", Unit: "p99-response-sec",
		Better: verdict.LowerIsBetter, Quantile: 0.99}, Tails: drawTails(t, rng, 14, 400, 2)}
	o := Defaults()
	for _, tests := range []int{1, 25, 26, 400} {
		e, err := Weigh(o, tests, s)
		if err != nil {
			t.Fatal(err)
		}
		if e.LeastP > o.Needed(tests)/drawsPerP*(1+1e-9) && e.LeastP > 1.0/2000 ||
			e.PWorse > o.Needed(tests) || e.PWorse < e.LeastP {
			t.Errorf("%d tests: p %v, at least %v; %v is needed", tests, e.PWorse,
				e.LeastP, o.Needed(tests))
		}
	}
}

func BenchmarkSwaps(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{12, 20} {
		pairs := drawTails(b, rng, n, 1000, 1)
		b.Run(fmt.Sprintf("pairs=%d", n), func(b *testing.B) {
			for b.Loop() {
				swapTest(0.99, pairs, 1, swapDraws, 1)
			}
		})
	}
}

func BenchmarkSignedRank(b *testing.B) {
	for _, n := range []int{6, 20, signedRankLimit} {
		changes := make([]float64, n)
		for i := range changes {
			changes[i] = float64(i) - 0.3*float64(n)
		}
		b.Run(fmt.Sprintf("changes=%d", n), func(b *testing.B) {
			for b.Loop() {
				newSignedRank(changes)
			}
		})
	}
}
