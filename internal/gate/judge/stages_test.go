package judge

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func times(benchmark string) Metric {
	return Metric{Benchmark: benchmark, Unit: "sec/op", Better: verdict.LowerIsBetter, Full: true}
}

func tenPairs() Options {
	o := Defaults()
	o.FreshPairs, o.Fixed = 10, true
	return o
}

func noisy(rng *rand.Rand, n int, sd, factor float64) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{100 * math.Exp(sd/math.Sqrt2*rng.NormFloat64()),
			100 * factor * math.Exp(sd/math.Sqrt2*rng.NormFloat64())}
	}
	return pairs
}

func repeated(n int, base, head float64) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{base, head}
	}
	return pairs
}

func both(t rapid.TB, o Options, first []Sample, fresh func(m Metric, n int) []Pair) *Report {
	t.Helper()
	g, err := Screen(o, first)
	if err != nil {
		t.Fatal(err)
	}
	decided := append(g.Suspects(), g.Hopefuls()...)
	second := make([]Sample, len(decided))
	runs := 0
	run := func(orders []PairRequest) {
		for i, m := range decided {
			second[i].Metric = m
			for _, order := range orders {
				if more := order.Pairs - second[i].N(); order.Benchmark == m.Benchmark && more > 0 {
					pairs := fresh(m, more)
					second[i].Pairs = append(second[i].Pairs, pairs...)
					runs += len(pairs)
				}
			}
		}
	}
	run(g.Orders())
	for before := -1; before != runs; {
		before = runs
		more, err := g.More(second)
		if err != nil {
			t.Fatal(err)
		}
		run(more)
	}
	r, err := g.Decide(second)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStages(t *testing.T) {
	higher := Metric{Benchmark: "b", Unit: "ops/s", Better: verdict.HigherIsBetter, Full: true}
	exact := Metric{Benchmark: "b", Unit: "misses/op", Better: verdict.LowerIsBetter, Exact: true}
	up := true
	wild := func(n int) (pairs []Pair) {
		for range n {
			up = !up
			pairs = append(pairs, map[bool]Pair{true: {1, 2}, false: {2, 1}}[up])
		}
		return pairs
	}
	// rank sum W⁺ beyond the margin: 10, p = 37/64; beyond Promise: 7, p = 18/64
	noisyAtFirst := repeated(6, 1, 1)
	for i, change := range []float64{0.35, 0.3, 0.05, -0.25, -0.1, -0.35} {
		noisyAtFirst[i].Head = math.Exp(change)
	}
	// rank sum W⁺ beyond the margin: 9, p = 42/64; beyond Promise: 6, p = 14/64
	scattered := repeated(6, 1, 1)
	for i, change := range []float64{0.3, 0.2, 0.05, -0.25, -0.1, -0.35} {
		scattered[i].Head = math.Exp(change)
	}
	sometimes := func(n int) []Pair { return append(repeated(n-1, 0, 0), Pair{0, 1}) }
	for _, test := range []struct {
		name          string
		metric        Metric
		first         []Pair
		fresh         func(n int) []Pair
		verdict       verdict.Verdict
		reason        string
		ratio, detect float64
	}{
		{"the same", times("b"), repeated(6, 10, 10), nil, verdict.NotSuspected, "", 1, 1.02},
		{"slower", times("b"), repeated(6, 10, 12),
			func(n int) []Pair { return repeated(n, 10, 12) }, verdict.Worse, "", 1.2, 1.02},
		{"faster", times("b"), repeated(6, 10, 8), nil, verdict.Better, "", 0.8, 1.02},
		{"less throughput", higher, repeated(6, 10, 8),
			func(n int) []Pair { return repeated(n, 10, 8) }, verdict.Worse, "", 0.8, 1 / 1.02},
		{"more throughput", higher, repeated(6, 10, 12), nil, verdict.Better, "", 1.2, 1 / 1.02},
		{"on the margin", times("b"), repeated(6, 100, 102), nil, verdict.NotSuspected, "", 1.02,
			1.02},
		{"slower at first only", times("b"), repeated(6, 10, 12),
			func(n int) []Pair { return repeated(n, 10, 10) }, verdict.NoWorse, "", 1, 1.02},
		{"slower at first, then wild", times("b"), repeated(6, 10, 12), wild, verdict.Inconclusive,
			"a regression of 10 % is not excluded", 1, 0},
		{"too noisy at first to tell", times("b"), noisyAtFirst,
			func(n int) []Pair { return repeated(n, 10, 10) }, verdict.NoWorse, "", 1, 1.02},
		{"scattered, and not cleared", times("b"), scattered,
			func(n int) []Pair { return repeated(n, 10, 10) }, verdict.NoWorse, "", 1, 1.02},
		{"slower at first, then faster", times("b"), repeated(6, 10, 12),
			func(n int) []Pair { return repeated(n, 10, 9) }, verdict.Better, "", 0.9, 1.02},
		{"too few fresh ones", times("b"), repeated(6, 10, 12),
			func(n int) []Pair { return repeated(n-1, 10, 12) }, verdict.Inconclusive,
			"too few pairs: 9, and 10 are needed", 1.2, 1.02},
		{"no fresh ones", times("b"), repeated(6, 10, 12), func(int) []Pair { return nil },
			verdict.Inconclusive, "too few pairs: 0, and 10 are needed", math.NaN(), math.NaN()},
		{"too few", times("b"), repeated(5, 10, 12), nil, verdict.Inconclusive,
			"too few pairs: 5, and 6 are needed", 1.2, 1.02},
		{"too few, and calm", times("b"), repeated(5, 10, 10), nil, verdict.Inconclusive,
			"too few pairs: 5, and 6 are needed", 1, 1.02},
		{"none", times("b"), nil, nil, verdict.Inconclusive, "too few pairs: 0, and 6 are needed",
			math.NaN(), math.NaN()},

		{"zero stays", times("b"), repeated(6, 0, 0), nil, verdict.NoWorse, "", 1, math.NaN()},
		{"from zero", times("b"), repeated(6, 0, 1),
			func(n int) []Pair { return repeated(n, 0, 1) }, verdict.Worse, "",
			math.Inf(1), math.NaN()},
		{"to zero", times("b"), repeated(6, 1, 0), nil, verdict.Better, "", 0, math.NaN()},
		{"from zero, higher is better", higher, repeated(6, 0, 1), nil, verdict.Better, "",
			math.Inf(1), math.NaN()},
		{"to zero, higher is better", higher, repeated(6, 1, 0),
			func(n int) []Pair { return repeated(n, 1, 0) }, verdict.Worse, "", 0, math.NaN()},
		{"from zero, once", times("b"), sometimes(6), sometimes, verdict.Inconclusive,
			"0 in every run of the base, above 0 in the head", 1, math.NaN()},
		{"from zero, once and never again", times("b"), sometimes(6),
			func(n int) []Pair { return repeated(n, 0, 0) }, verdict.NoWorse, "", 1, math.NaN()},

		{"exact, the same", exact, repeated(6, 7, 7), nil, verdict.NoWorse, "", 1, 1.02},
		{"exact, more", exact, repeated(6, 7, 8), nil, verdict.Worse, "", 8.0 / 7, 1.02},
		{"exact, less", exact, repeated(6, 8, 7), nil, verdict.Better, "", 7.0 / 8, 1.02},
		{"exact, on the margin", exact, repeated(6, 100, 102), nil,
			verdict.NoWorse, "", 1.02, 1.02},
		{"exact, from zero", exact, repeated(6, 0, 1), nil, verdict.Worse, "", math.Inf(1),
			math.NaN()},
		{"exact, it is said, but more and more", exact,
			[]Pair{{7, 8}, {7, 8}, {7, 8}, {7, 9}, {7, 8}, {7, 8}}, func(n int) []Pair {
				return append(repeated(n-1, 7, 8), Pair{7, 9})
			},
			verdict.Worse, "", 8.0 / 7, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			suspect := false
			r := both(t, tenPairs(), []Sample{{Metric: test.metric, Pairs: test.first}},
				func(m Metric, n int) []Pair {
					suspect = true
					if test.fresh == nil {
						t.Fatal("it is suspect")
					}
					return test.fresh(n)
				})
			if len(r.Rows) != 1 || suspect != (test.fresh != nil) {
				t.Fatalf("suspect %v, rows %+v", suspect, r.Rows)
			}
			row := r.Rows[0]
			said := row.reportRow()
			if row.Verdict != test.verdict || row.Reason != test.reason ||
				maxSevere(r) != test.verdict || !same(float64(said.Ratio), test.ratio) ||
				row.Suspect != suspect {
				t.Errorf(
					"%s (%s), ratio %v; want %s (%s), %v\n%+v",
					row.Verdict,
					row.Reason,
					said.Ratio,
					test.verdict,
					test.reason,
					test.ratio,
					row,
				)
			}
			if got := float64(said.Detectable) + 1; test.detect != 0 &&
				!same(got, test.detect) {
				t.Errorf("detectable %v, want %v", got, test.detect)
			}
		})
	}
}

func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || a == b || math.Abs(a-b) < 1e-12
}

func TestScreenRefuses(t *testing.T) {
	fine := Sample{Metric: times("b"), Pairs: repeated(6, 1, 1)}
	without := func(change func(s *Sample)) Sample {
		s := fine
		change(&s)
		return s
	}
	for _, test := range []struct {
		samples []Sample
		want    string
	}{
		{nil, "nothing to judge"},
		{[]Sample{without(func(s *Sample) { s.Better = 0 })},
			"sec/op of b: no direction: want higher or lower is better"},
		{[]Sample{without(func(s *Sample) { s.Better = 2 })},
			"sec/op of b: no direction: want higher or lower is better"},
		{[]Sample{fine, fine}, "sec/op of b is given twice"},
		{[]Sample{without(func(s *Sample) { s.Pairs = []Pair{{1, 1}, {1, math.NaN()}} })},
			"sec/op of b: pair 2: NaN has no ratio: want a number of at least 0"},
		{[]Sample{without(func(s *Sample) { s.Pairs = []Pair{{-1, 1}} })},
			"sec/op of b: pair 1: -1 has no ratio: want a number of at least 0"},
		{[]Sample{without(func(s *Sample) { s.Pairs = []Pair{{1, math.Inf(1)}} })},
			"sec/op of b: pair 1: +Inf has no ratio: want a number of at least 0"},
		{[]Sample{without(func(s *Sample) { s.Quantile = 99 })},
			"sec/op of b: 99 is no quantile: want one between 0 and 1"},
		{[]Sample{without(func(s *Sample) { s.Quantile = 0.99 })},
			"sec/op of b: a quantile is judged by histograms, not by values"},
		{[]Sample{without(func(s *Sample) { s.Tails = []TailPair{{}} })},
			"sec/op of b: histograms, but no quantile to compute from them"},
		{[]Sample{without(func(s *Sample) {
			s.Pairs, s.Tails, s.Quantile = nil, []TailPair{{}}, 0.9
		})},
			"sec/op of b: pair 1: 0 values do not resolve the 0.9 quantile: 36 are needed"},
	} {
		if _, err := Screen(Defaults(), test.samples); fmt.Sprint(err) != test.want {
			t.Errorf("Screen: %v, want %s", err, test.want)
		}
		if len(test.samples) == 1 {
			if _, err := Weigh(Defaults(), 1, test.samples[0]); fmt.Sprint(err) != test.want {
				t.Errorf("Weigh: %v, want %s", err, test.want)
			}
		}
	}
	if _, err := Weigh(Defaults(), 1,
		Sample{Metric: times("b")}); fmt.Sprint(err) != "sec/op of b: no pairs" {
		t.Errorf("Weigh: %v", err)
	}
	for want, change := range map[string]func(o *Options){
		"a margin of -1 is not between 0 and 1": func(o *Options) {
			o.Margin = -1
		},
		"a promise of 0.01 is not between the margin of 0.02 and 1": func(o *Options) {
			o.Promise = 0.01
		},
		"an alpha of NaN is not between 0 and 0.5": func(o *Options) {
			o.Alpha = math.NaN()
		},
		"suspicion at a p of 0 is not between 0 and 1": func(o *Options) {
			o.SuspectAt = 0
		},
		"clearing at a p of 1 is not between 0 and 1": func(o *Options) {
			o.ClearAt = 1
		},
		"1 pairs cannot give the p of 0.025 that makes a suspect, or clears: 6 are needed": func(o *Options) {
			o.ScreenPairs = 1
		},
		"futility at a p of 1 is not between 0 and 1": func(o *Options) {
			o.FutileAt = 1
		},
		"want fresh pairs, not 0": func(o *Options) {
			o.FreshPairs = 0
		},
	} {
		o := Defaults()
		change(&o)
		if _, err := Screen(o, []Sample{fine}); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestWithAlpha(t *testing.T) {
	for alpha, pairs := range map[float64]int{0.05: 6, 0.2: 6, 0.01: 8, 0.001: 11} {
		o := Defaults().WithAlpha(alpha)
		g, err := Screen(o, []Sample{{Metric: times("b"), Pairs: repeated(pairs, 10, 10)}})
		if err != nil || o.ScreenPairs != pairs || len(g.Suspects()) != 0 {
			t.Errorf("alpha %v: %d pairs, %v; want %d", alpha, o.ScreenPairs, err, pairs)
		}
	}
	if err := Defaults().WithAlpha(0).Validate(); err == nil {
		t.Error("an alpha of 0 is accepted")
	}
}

func TestDecideRefuses(t *testing.T) {
	slow := Sample{Metric: times("b"), Pairs: repeated(6, 10, 12)}
	g, err := Screen(tenPairs(), []Sample{slow, {Metric: times("calm"), Pairs: repeated(6, 1, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	other := slow
	other.Benchmark = "other"
	turned := slow
	turned.Better = verdict.HigherIsBetter
	unknown := slow
	unknown.Better = 0
	for want, fresh := range map[string][]Sample{
		"sec/op of b: suspect, but without fresh pairs":                       nil,
		"sec/op of other: fresh pairs, but it was not screened":               {slow, other},
		"sec/op of b is given twice":                                          {slow, slow},
		"sec/op of b: no direction: want higher or lower is better":           {unknown},
		"sec/op of b: screened as lower is better, and now higher is better?": {turned},
	} {
		_, err := g.Decide(fresh)
		if strings.HasSuffix(want, "?") {
			if err == nil || !strings.Contains(err.Error(), "sec/op of b: screened as") {
				t.Errorf("%v", err)
			}
		} else if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	along := Sample{Metric: times("calm"), Pairs: repeated(10, 1, 9)}
	r, err := g.Decide([]Sample{{Metric: slow.Metric, Pairs: repeated(10, 10, 12)}, along})
	if err != nil || len(r.Rows) != 2 || r.Rows[0].Verdict != verdict.Worse ||
		r.Rows[1].Verdict != verdict.NotSuspected || r.Rows[1].N != 6 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	other := Metric{Benchmark: "a", Unit: "ops/s", Better: verdict.HigherIsBetter}
	o := tenPairs()
	g, err := Screen(o, []Sample{
		{Metric: times("calm"), Pairs: repeated(6, 1, 1)},
		{Metric: times("a"), Pairs: repeated(6, 10, 12)},
		{Metric: other, Pairs: noisy(rng, 6, 0.5, 0.2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Orders(); len(got) != 1 || got[0] != (PairRequest{Benchmark: "a", Pairs: 10}) ||
		len(g.Suspects()) != 2 {
		t.Errorf("%v for %v", got, g.Suspects())
	}
	var all []Sample
	for i := range 200 {
		all = append(all, Sample{Metric: times(fmt.Sprint(i)), Pairs: repeated(6, 10, 12)})
	}
	if g, err = Screen(o, all); err != nil {
		t.Fatal(err)
	}
	if first, all := g.Fresh(); first != 12 || all != 12 || g.Orders()[0].Pairs != 12 {
		// after 6 of 12 pairs, p ≥ 1/64 cannot decide, so the first order is for all 12
		t.Errorf("200 suspects: %d and %d, %v", first, all, g.Orders())
	}
	// z(0.95) + z(0.8) is 2.486, and log(1.1/1.02) is 0.0755, so 10 % of noise needs 10.8 pairs.
	for sd, want := range map[float64]float64{0: 0, 0.05: 3, 0.1: 11, 0.12: 16, 0.2: 44,
		math.Inf(1): math.Inf(1)} {
		if got := o.PairsToFind(sd, 1); got != want {
			t.Errorf("a spread of %v: %v pairs, want %v", sd, got, want)
		}
	}
	if got := o.PairsToFind(math.NaN(), 1); !math.IsNaN(got) {
		t.Errorf("an unknown spread: %v pairs", got)
	}
}

// Half of the fresh pairs suffices for a benchmark that looks unchanged.
func TestFutility(t *testing.T) {
	around := func(change float64) []Pair {
		pairs := repeated(10, 1, 1)
		for i, noise := range []float64{0.12, -0.12, 0.02, -0.02, 0.03, -0.03, 0.04,
			-0.04, 0.01, -0.01} {
			pairs[i].Head = math.Exp(change + noise)
		}
		return pairs
	}
	for _, test := range []struct {
		name    string
		half    []Pair
		more    bool
		verdict verdict.Verdict
	}{
		{"the same", repeated(10, 10, 10), false, verdict.NoWorse},
		{"the same, with noise", around(0), false, verdict.NoWorse},
		{"one too far out", append(around(0)[:9], Pair{1, 1.35}), true, verdict.NoWorse},
		{"slower", repeated(10, 10, 12), true, verdict.Worse},
		{"slower within the promise", repeated(10, 100, 105), true, verdict.Worse},
		{"within the margin", repeated(10, 100, 101), false, verdict.NoWorse},
		{"faster", repeated(10, 10, 9), true, verdict.Better},
		{"pairs missing", repeated(9, 10, 10), true, verdict.NoWorse},
	} {
		t.Run(test.name, func(t *testing.T) {
			slow, slower := Sample{Metric: times("b"), Pairs: repeated(6, 10, 12)},
				Sample{Metric: times("slower"), Pairs: repeated(6, 10, 12)}
			g, err := Screen(Defaults(), []Sample{slow, slower})
			if err != nil {
				t.Fatal(err)
			}
			fresh := []Sample{{Metric: slow.Metric, Pairs: test.half},
				{Metric: slower.Metric, Pairs: repeated(10, 10, 12)}}
			more, err := g.More(fresh)
			if err != nil || len(more) != map[bool]int{false: 1, true: 2}[test.more] ||
				more[len(more)-1] != (PairRequest{Benchmark: "slower", Pairs: 20}) {
				t.Fatalf("%v, %v", more, err)
			}
			r, err := g.Decide(fresh)
			if err != nil || r.Rows[1].Verdict != verdict.Inconclusive ||
				(r.Rows[0].Verdict == verdict.Inconclusive) != test.more {
				t.Fatalf("%+v, %v", r.Rows, err)
			}
			if !test.more && (r.Rows[0].Verdict != test.verdict ||
				r.Rows[0].N != 10 || r.Tests != 2) {
				t.Errorf("by half of the pairs %+v of %d", r.Rows[0], r.Tests)
			}
			for i := range fresh {
				fresh[i].Pairs = append(fresh[i].Pairs, fresh[i].Pairs...)
			}
			if r, err = g.Decide(fresh); err != nil || r.Rows[0].Verdict != test.verdict {
				t.Errorf("by all pairs %+v, %v", r.Rows[0], err)
			}
			// a resumed gate may have more pairs, but must request the same
			fresh[0].Pairs = append(slices.Clone(test.half), repeated(10, 10, 15)...)
			if again, err := g.More(fresh); err != nil || len(test.half) == 10 &&
				!slices.Equal(again, more) {
				t.Errorf("with more pairs %v, %v", again, err)
			}
		})
	}
	g, err := Screen(Defaults(), []Sample{{Metric: times("b"), Pairs: repeated(6, 10, 12)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.More(nil); fmt.Sprint(err) != "sec/op of b: suspect, but without fresh pairs" {
		t.Errorf("%v", err)
	}
	// With 200 suspects, ten pairs can show that a metric is not worse, but not that it is worse.
	var first, half []Sample
	for i := range 200 {
		first = append(first, Sample{Metric: times(fmt.Sprint(i)), Pairs: repeated(6, 10, 12)})
		half = append(half, Sample{Metric: times(fmt.Sprint(i)), Pairs: repeated(10, 10, 10)})
	}
	if g, err = Screen(Defaults(), first); err != nil {
		t.Fatal(err)
	}
	more, failure := g.More(half)
	r, err := g.Decide(half)
	if errors.Join(failure, err) != nil || len(more) != 0 || maxSevere(r) != verdict.NoWorse {
		t.Errorf("200 suspects: %v, %v, %v", more, failure, err)
	}
}

// A noisy unchanged metric needs 10, 20, 40 or 80 fresh pairs. A resumed gate that has more pairs
// must use the same number.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	screened := []Sample{{Metric: times("b"), Pairs: noisy(rng, 6, 0.12, 1.2)}}
	g, err := Screen(Defaults(), screened)
	if err != nil || len(g.Suspects()) != 1 {
		t.Fatal(err, g.Suspects())
	}
	ended := map[int]int{}
	for range 60 {
		all := noisy(rng, 100, 0.12, 1)
		n, last := g.Orders()[0].Pairs, 0
		for n != last {
			last = n
			more, err := g.More([]Sample{{Metric: times("b"), Pairs: all[:n]}})
			if err != nil {
				t.Fatal(err)
			}
			if len(more) > 0 {
				n = more[0].Pairs
			}
		}
		short, err := g.Decide([]Sample{{Metric: times("b"), Pairs: all[:n]}})
		long, err2 := g.Decide([]Sample{{Metric: times("b"), Pairs: all}})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		one, other := short.Rows[0], long.Rows[0]
		if other.N == len(all) {
			continue
		}
		ended[n]++
		if one.N != n || other.N != n || one.Verdict != verdict.NoWorse ||
			other.Verdict != verdict.NoWorse {
			t.Errorf("%v by %d of %d pairs, %v by %d of 100", one.Verdict, one.N, n, other.Verdict,
				other.N)
		}
	}
	settled := ended[10] + ended[20] + ended[40] + ended[80]
	if settled < 45 || ended[10] == 0 || ended[20] == 0 || ended[40] == 0 || len(ended) > 4 {
		t.Errorf("settled early, by pairs: %v", ended)
	}
}

// If noise alone made a metric suspect, its screening pairs count, and half of the fresh pairs
// suffices.
func TestFirstLookOfUnclear(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	unclear := Sample{Metric: times("unclear"), Pairs: repeated(6, 10, 10)}
	unclear.Pairs[2].Head = 11.5
	slow := Sample{Metric: times("slow"), Pairs: noisy(rng, 6, 0.01, 1.2)}
	g, err := Screen(Defaults(), []Sample{unclear, slow})
	if err != nil {
		t.Fatal(err)
	}
	want := []PairRequest{{Benchmark: "unclear", Pairs: 5}, {Benchmark: "slow", Pairs: 10}}
	if got := g.Orders(); !slices.Equal(got, want) {
		t.Fatalf("first orders %v, want %v", got, want)
	}
	for _, test := range []struct {
		name  string
		fresh []Pair
		more  int
	}{
		{"the same", repeated(5, 10, 10), 0},
		{"still unclear", append(repeated(3, 10, 10), Pair{10, 13}, Pair{10, 14}), 10},
		{"worse", repeated(5, 10, 11.5), 10},
	} {
		fresh := []Sample{{Metric: unclear.Metric, Pairs: test.fresh},
			{Metric: slow.Metric, Pairs: repeated(10, 10, 10)}}
		more, err := g.More(fresh)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for _, o := range more {
			if o.Benchmark == "slow" {
				t.Errorf("%s: slow gets more: %v", test.name, o)
			} else {
				next = o.Pairs
			}
		}
		r, err := g.Decide(fresh)
		if err != nil || next != test.more ||
			(r.Rows[0].Verdict == verdict.NoWorse) != (test.more == 0) {
			t.Errorf("%s: next %d, want %d; %v, %v", test.name, next, test.more,
				r.Rows[0].Verdict, err)
		}
	}
}

func TestDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		pairs := noisy(rng, rapid.IntRange(6, 25).Draw(t, "n"),
			rapid.Float64Range(0, 0.2).Draw(t, "sd"),
			rapid.Float64Range(0.8, 1.25).Draw(t, "factor"))
		inverse := make([]Pair, len(pairs))
		swapped := make([]Pair, len(pairs))
		for i, p := range pairs {
			inverse[i], swapped[i] = Pair{1e6 / p.Base, 1e6 / p.Head}, Pair{p.Head, p.Base}
		}
		rate := Metric{Benchmark: "b", Unit: "ops/s", Better: verdict.HigherIsBetter, Full: true}
		weigh := func(m Metric, pairs []Pair) Evidence {
			e, err := Weigh(Defaults(), 1, Sample{Metric: m, Pairs: pairs})
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		a, b, c := weigh(times("b"), pairs), weigh(rate, inverse), weigh(times("b"), swapped)
		if math.Abs(a.PWorse-b.PWorse) > 1e-9 || math.Abs(a.Change-b.Change) > 1e-9 ||
			math.Abs(a.High-b.High) > 1e-9 {
			t.Fatalf("time %+v, rate %+v", a, b)
		}
		if math.Abs(a.PWorse-c.PBetter) > 1e-9 || math.Abs(a.Change+c.Change) > 1e-9 ||
			math.Abs(a.High+c.Low) > 1e-9 {
			t.Fatalf("%+v, arms swapped %+v", a, c)
		}
	})
}

// False alarms are expected in 5 % of 400 gates, and a correct gate has more than 31 with
// probability 1 %. The noise of 12 % makes the margin negligible.
//
// The detectable change is found in 80 % of the gates. The tolerance of 24 is three standard
// deviations.
func TestSizeAndPower(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	rng := rand.New(rand.NewPCG(5, 1))
	const sd, gates = 0.12, 400
	first := func(factor float64) (samples []Sample) {
		for b := range 20 {
			if b > 0 {
				factor = 1
			}
			samples = append(samples,
				Sample{Metric: times(fmt.Sprint(b)), Pairs: noisy(rng, 6, sd, factor)})
		}
		return samples
	}
	alarms := 0
	for range gates {
		r := both(t, Defaults(), first(1), func(_ Metric, n int) []Pair {
			return noisy(rng, n, sd, 1)
		})
		if maxSevere(r) == verdict.Worse {
			alarms++
		}
	}
	if alarms > 31 {
		t.Errorf("%d of %d gates on the same code say worse", alarms, gates)
	}
	o := Defaults()
	o.FreshPairs, o.Fixed = 15, true
	suspects := 0
	for range 50 {
		g, err := Screen(o, first(1))
		if err != nil {
			t.Fatal(err)
		}
		suspects += len(g.Suspects())
	}
	detectable := math.Exp(o.detectable(sd, 6, 15, suspects/50))
	found := 0
	for range gates {
		r := both(t, o, first(detectable), func(m Metric, n int) []Pair {
			if m.Benchmark == "0" {
				return noisy(rng, n, sd, detectable)
			}
			return noisy(rng, n, sd, 1)
		})
		if r.Rows[0].Verdict == verdict.Worse {
			found++
		}
	}
	if found < 320-24 || found > 320+24 {
		t.Errorf("a change by the detectable %v is found %d times of %d", detectable, found, gates)
	}
}

// With 50 benchmarks, the multiple-testing correction is too strict for six pairs, so an
// improvement also needs fresh pairs.
func TestBetterAmongMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const sd, gates = 0.02, 200
	named, chance := 0, 0
	for range gates {
		var first []Sample
		for b := range 50 {
			factor := 1.0
			if b == 0 {
				factor = 1 / 1.1
			}
			first = append(first,
				Sample{Metric: times(fmt.Sprint(b)), Pairs: noisy(rng, 6, sd, factor)})
		}
		r := both(t, Defaults(), first, func(m Metric, n int) []Pair {
			if m.Benchmark == "0" {
				return noisy(rng, n, sd, 1/1.1)
			}
			return noisy(rng, n, sd, 1)
		})
		for i, row := range r.Rows {
			switch {
			case i == 0 && row.Verdict == verdict.Better:
				named++
			case i > 0 && row.Verdict == verdict.Better:
				chance++
			case row.Verdict == verdict.Worse:
				t.Errorf("%s is worse", row.Benchmark)
			}
		}
	}
	if named < gates*98/100 || chance > gates*2/100 {
		t.Errorf("of %d gates %d find the improvement, and %d metrics are called better that are not",
			gates, named, chance)
	}
	r := both(t, Defaults(), []Sample{{Metric: times("a"), Pairs: noisy(rng, 6, sd, 1/1.1)},
		{Metric: times("b"), Pairs: noisy(rng, 6, sd, 1)}, {Metric: times("c"),
			Pairs: noisy(rng, 6, sd, 1)}, {Metric: times("d"), Pairs: noisy(rng, 6, sd, 1)}},
		func(_ Metric, n int) []Pair { return noisy(rng, n, sd, 1.3) })
	if r.Rows[0].Verdict != verdict.Inconclusive {
		t.Errorf("it looked better and its fresh pairs are worse: %s", r.Rows[0].Verdict)
	}
}
