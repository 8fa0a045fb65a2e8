package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

func logNormal(rng *rand.Rand, n int, spread, factor float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = factor * math.Exp(spread*rng.NormFloat64())
	}
	return values
}

// The limit is the level of 1 % plus four standard errors of 2000 draws. The plain rank test calls
// 2 to 9 % worse.
func TestUnpairedSize(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	rng := rand.New(rand.NewPCG(21, 1))
	o := Defaults()
	o.Margin, o.Promise = 0, 0.1
	const draws = 2000
	for _, c := range []struct {
		nx, ny         int
		spreadX, ratio float64
	}{{30, 8, 0.02, 5}, {20, 8, 0.01, 15}, {8, 30, 0.1, 0.2}, {10, 10, 0.01, 15}, {60, 12, 0.02, 5},
		{90, 30, 0.02, 5}} {
		worse, byRank := 0, 0
		for range draws {
			s := Sample{Metric: times("b"), Base: logNormal(rng, c.nx, c.spreadX, 1),
				Head: logNormal(rng, c.ny, c.spreadX*c.ratio, 1)}
			e, err := Weigh(o, 1, s)
			if err != nil {
				t.Fatal(err)
			}
			if e.PWorse <= 0.01 {
				worse++
			}
			if newRankSum(s.Base, s.Head).Greater <= 0.01 {
				byRank++
			}
		}
		if worse > draws/50 || byRank <= worse {
			t.Errorf("%+v: %d of %d worse, and by ranks alone %d", c, worse, draws, byRank)
		}
	}
}

func TestUnpairedCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	const draws = 1500
	for _, c := range []struct {
		nx, ny       int
		spreadX, toY float64
	}{{30, 8, 0.02, 0.1}, {12, 12, 0.01, 0.15}, {20, 8, 0.05, 0.05}} {
		missed := 0
		for range draws {
			e, err := Weigh(Defaults(), 1,
				Sample{Metric: times("b"), Base: logNormal(rng, c.nx, c.spreadX, 1),
					Head: logNormal(rng, c.ny, c.toY, 1.3)})
			if err != nil {
				t.Fatal(err)
			}
			if at := math.Log(1.3); at < e.Low || at > e.High {
				missed++
			}
		}
		if most := 0.05*draws + 4*math.Sqrt(draws*0.05*0.95); float64(missed) > most {
			t.Errorf("%+v: the interval misses in %d of %d draws", c, missed, draws)
		}
	}
}

func TestUnpairedIsTheRankTest(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	same := 0
	for range 300 {
		s := Sample{Metric: times("b"), Base: logNormal(rng, 4+rng.IntN(20), 0.05, 1),
			Head: logNormal(rng, 4+rng.IntN(20), 0.05, 1.1)}
		e, err := Weigh(Defaults(), 1, s)
		if err != nil {
			t.Fatal(err)
		}
		base := floats.ScaleTo(make([]float64, len(s.Base)), math.Exp(Defaults().margin()), s.Base)
		want := newRankSum(base, s.Head).Greater
		if e.PWorse < want*(1-1e-9) && want < 0.5 {
			t.Fatalf("p = %v, and by ranks %v", e.PWorse, want)
		}
		if !(RankSums{}).compare(s.Base, s.Head).unequal() {
			same++
			if e.PWorse != want {
				t.Fatalf("equal spreads: p = %v, and by ranks %v", e.PWorse, want)
			}
		}
	}
	if same < 150 {
		t.Errorf("%d of 300 pairs of samples with equal spreads are taken as such", same)
	}
}

// If one sample is almost constant, U is a sign test: 8 of 8 larger values have a p of about 1/256.
// Zeros have no logarithm.
func TestUnpairedCountsSigns(t *testing.T) {
	x, y := logNormal(rand.New(rand.NewPCG(24, 1)), 30, 1e-6, 1),
		[]float64{1.1, 1.2, 1.25, 1.3, 1.4, 1.5, 1.7, 2}
	c := RankSums{}.compare(x, y)
	if p := c.wide.rankSum(x, y).Greater; p < 0.5/256 || p > 1.5/256 {
		t.Errorf("of 8 signs: p = %v", p)
	}
	e, err := Weigh(Defaults(), 1, Sample{Metric: times("b"), Base: x, Head: y})
	if _, want := c.means.at(1.02); err != nil || e.PWorse != want || want < 1e-3 || want > 2e-3 ||
		!near(e.LeastP, smallestP(30, 8)) {
		t.Errorf("%+v, %v; by Student's test %v", e, err, want)
	}
	x[0] = 0
	if less, greater := newWelch(x, y, 0).at(1); less != 0.5 || greater != 0.5 {
		t.Errorf("with a zero: %v, %v", less, greater)
	}
	for _, wrong := range []Sample{{Metric: times("b")},
		{Metric: times("b"), Base: x, Head: []float64{-1}}, {Base: x, Head: y}} {
		if _, err := Weigh(Defaults(), 1, wrong); err == nil {
			t.Errorf("%+v is judged", wrong)
		}
	}
}

// Welch's test equals Student's test for a constant sample and for equal variances.
func TestWelch(t *testing.T) {
	exp := func(values ...float64) []float64 {
		for i, v := range values {
			values[i] = math.Exp(v)
		}
		return values
	}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{exp(0, 0, 0, 0, 0, 0, 0), exp(1, 2, 3, 4, 5), 0.013236},
		{exp(1, 2, 3, 4, 5), exp(4, 5, 6, 7, 8), 0.017072},
	} {
		w := newWelch(c.x, c.y, 0)
		less, greater := w.at(1)
		if back, _ := newWelch(c.y, c.x, 0).at(1); math.Abs(2*greater-c.want) > 1e-6 ||
			!near(less+greater, 1) || !near(back, greater) {
			t.Errorf("%v against %v: p = %v, want %v; %v and %v", c.y, c.x, 2*greater,
				c.want, less, back)
		}
		low, high := w.between(c.want / 2)
		if math.Abs(low-1) > 1e-4 || !near(low*high, math.Exp(2*w.difference)) {
			t.Errorf("%v against %v: %v to %v", c.y, c.x, low, high)
		}
	}
}

func BenchmarkWeighUnpaired(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range [][2]int{{30, 8}, {10, 10}} {
		s := Sample{Metric: times("b"), Base: logNormal(rng, n[0], 0.02, 1),
			Head: logNormal(rng, n[1], 0.1, 1)}
		b.Run(fmt.Sprintf("runs=%dx%d", n[0], n[1]), func(b *testing.B) {
			for b.Loop() {
				if _, err := Weigh(Defaults(), 1, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
