package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// levels returns n values per level, with log-normal noise of coefficient of variation cv.
func levels(rng *rand.Rand, cv float64, n int, at ...float64) (values []float64) {
	for _, level := range at {
		for range n {
			values = append(values, level*math.Exp(cv*rng.NormFloat64()))
		}
	}
	return values
}

func seeded(seed int) Options {
	o := Default()
	o.Seed = uint64(seed)
	return o
}

func near(found []Point, want ...int) bool {
	if len(found) != len(want) {
		return false
	}
	for i, p := range found {
		if p.Index < want[i]-1 || p.Index > want[i]+1 {
			return false
		}
	}
	return true
}

// The false alarm rate may be Alpha plus four standard deviations, because ten distributions are
// tested.
func TestFalseAlarms(t *testing.T) {
	rng, series := rand.New(rand.NewPCG(7, 1)), 800
	if testing.Short() {
		series = 200
	}
	for _, c := range []struct {
		name string
		draw func() float64
	}{
		{"normal", rng.NormFloat64},
		{"heavy tail", func() float64 { return math.Exp(3 * rng.NormFloat64()) }},
		{"counts", func() float64 { return float64(rng.IntN(3)) }},
		{"two modes", func() float64 { return float64(rng.IntN(2))*100 + rng.Float64() }},
		{"mostly equal", func() float64 { return math.Floor(1.1 * rng.Float64()) }},
	} {
		for _, alpha := range []float64{0.01, 0.05} {
			alarms := 0
			for i := range series {
				values := make([]float64, 24)
				for j := range values {
					values[j] = c.draw()
				}
				o := seeded(i)
				o.Alpha, o.Permutations = alpha, 399
				if len(Find(values, o)) > 0 {
					alarms++
				}
			}
			n := float64(series)
			if most := n*alpha + 4*math.Sqrt(n*alpha*(1-alpha)); float64(alarms) > most {
				t.Errorf("%s: %d alarms in %d series at alpha %v, want at most %.0f", c.name,
					alarms, series, alpha, most)
			}
		}
	}
}

// The expected rates come from 2000 series. The tolerance is three standard deviations.
func TestFinds(t *testing.T) {
	series := 150
	if testing.Short() {
		series = 20
	}
	spoilt := func(rng *rand.Rand, values []float64) []float64 {
		for range 2 {
			values[rng.IntN(len(values))] *= 2
		}
		return values
	}
	for _, c := range []struct {
		name string
		make func(*rand.Rand) []float64
		at   []int
		rate float64
	}{
		{"10 % in 40", func(rng *rand.Rand) []float64 { return levels(rng, 0.03, 20, 1, 1.1) },
			[]int{20}, 0.966},
		{"10 % less in 20", func(rng *rand.Rand) []float64 { return levels(rng, 0.03, 10, 1.1, 1) },
			[]int{10}, 0.958},
		{"10 % with outliers",
			func(rng *rand.Rand) []float64 { return spoilt(rng, levels(rng, 0.03, 20, 1, 1.1)) },
			[]int{20}, 0.904},
		{"two steps", func(rng *rand.Rand) []float64 { return levels(rng, 0.03, 15, 1, 1.1, 1.2) },
			[]int{15, 30}, 0.757},
		{"there and back", func(rng *rand.Rand) []float64 {
			return levels(rng, 0.03, 15, 1, 1.1, 1)
		}, []int{15, 30}, 0.930},
	} {
		rng := rand.New(rand.NewPCG(8, 1))
		found := 0
		for i := range series {
			if near(Find(c.make(rng), seeded(i)), c.at...) {
				found++
			}
		}
		n := float64(series)
		if least := n*c.rate - 3*math.Sqrt(n*c.rate*(1-c.rate)); float64(found) < least {
			t.Errorf("%s: %d of %d, want at least %.0f", c.name, found, series, least)
		}
	}
}

func TestRamp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	values := levels(rng, 0.01, 40, 1)
	for i := range values {
		values[i] *= 1 + 0.3*float64(i)/40
	}
	if found := Find(values, Default()); len(found) == 0 ||
		!slices.IsSortedFunc(found, func(a, b Point) int { return a.Index - b.Index }) {
		t.Errorf("found %v", found)
	}
}

func TestExactCases(t *testing.T) {
	step := func(n, m int) []float64 {
		return append(make([]float64, n), slices.Repeat([]float64{1}, m)...)
	}
	outlier := slices.Repeat([]float64{5}, 30)
	outlier[12] = 500
	ends := slices.Repeat([]float64{5}, 30)
	ends[28], ends[29] = 500, 500
	for _, c := range []struct {
		name   string
		values []float64
		want   []int
	}{
		{"none", nil, nil},
		{"one", []float64{3}, nil},
		{"five", []float64{1, 1, 1, 9, 9}, nil},
		{"six, too few for the level", step(3, 3), nil},
		{"nine, too few for the level", step(4, 5), nil},
		{"constant", slices.Repeat([]float64{7}, 100), nil},
		{"constant zero", make([]float64, 50), nil},
		{"a clean step", step(20, 20), []int{20}},
		{"from zero", step(8, 8), []int{8}},
		{"a step three results ago", step(27, 3), []int{27}},
		{"two results are not believed yet", ends, nil},
		{"one outlier", outlier, nil},
		{"there and back", append(step(20, 10), make([]float64, 20)...), []int{20, 30}},
		{"tiny values", func() []float64 {
			v := step(20, 20)
			for i := range v {
				v[i] *= 1e-300
			}
			return v
		}(), []int{20}},
		{"huge values", func() []float64 {
			v := step(20, 20)
			for i := range v {
				v[i] *= math.MaxFloat64
			}
			return v
		}(), []int{20}},
	} {
		var got []int
		for _, p := range Find(c.values, Default()) {
			got = append(got, p.Index)
			if p.P <= 0 || p.P > Default().Alpha {
				t.Errorf("%s: p = %v", c.name, p.P)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestInvariance(t *testing.T) {
	values := levels(rand.New(rand.NewPCG(10, 1)), 0.03, 15, 1, 1.1, 1.02)
	want := Find(values, Default())
	if len(want) < 2 {
		t.Fatalf("found %v", want)
	}
	before := slices.Clone(values)
	for name, f := range map[string]func(float64) float64{
		"same":      func(v float64) float64 { return v },
		"unit":      func(v float64) float64 { return v * 1e-9 },
		"direction": func(v float64) float64 { return -v }, "log": math.Log,
	} {
		changed := make([]float64, len(values))
		for i, v := range values {
			changed[i] = f(v)
		}
		if diff := cmp.Diff(want, Find(changed, Default())); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(before, values); diff != "" {
		t.Errorf("the series itself was changed: %s", diff)
	}
}

// A clean step must be found if there are Enough values, and nothing below least.
func TestEnough(t *testing.T) {
	if race.Enabled {
		t.Skip("it only computes, on one goroutine")
	}
	for _, c := range []struct {
		alpha float64
		want  int
	}{{0.2, 8}, {0.1, 9}, {0.05, 10}, {0.01, 12}, {0.0005, 17}} {
		o := Default()
		if o.Alpha, o.Permutations = c.alpha, 9999; o.Enough() != c.want {
			t.Errorf("alpha %v: %d, want %d", c.alpha, o.Enough(), c.want)
		}
	}
	rng, steps := rand.New(rand.NewPCG(13, 1)), 3
	if testing.Short() {
		steps = 1
	}
	o := Default()
	o.Permutations = 99_999
	for n := 6; n <= 16; n++ {
		if testing.Short() && n%2 != 0 {
			continue
		}
		two := Find(append(make([]float64, n/2), slices.Repeat([]float64{1}, n-n/2)...), o)
		if (len(two) == 1) != (n >= o.minLength()) {
			t.Errorf("%d values, two of them different: %v", n, two)
		}
		for range steps {
			step := make([]float64, n)
			for i := range step {
				step[i] = rng.Float64()
				if i >= n/2 {
					step[i] += 10
				}
			}
			if found := Find(step, o); n >= o.Enough() && len(found) != 1 ||
				n < o.minLength() && len(found) > 0 {
				t.Errorf("%d measured values: %v", n, found)
			}
		}
	}
}

func TestBestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range 200 {
		values := levels(rng, 0.5, 4+rng.IntN(9), 1, 2)
		least := 2 + rng.IntN(2)
		s := search{Options: Options{Shortest: least}}
		got, want := s.best(values), slowBest(values, least)
		if got.at != want.at || math.Abs(got.q-want.q) > 1e-9*want.q {
			t.Fatalf("%v: %+v, want %+v", values, got, want)
		}
	}
}

func slowBest(v []float64, least int) (best split) {
	mean := func(a, b []float64, pairs int) (sum float64) {
		for _, x := range a {
			for _, y := range b {
				sum += math.Abs(x - y)
			}
		}
		return sum / float64(pairs)
	}
	for at := least; at < len(v); at++ {
		for end := at + least; end <= len(v); end++ {
			x, y := v[:at], v[at:end]
			m, k := len(x), len(y)
			energy := 2*mean(x, y, m*k) - mean(x, x, m*(m-1)) - mean(y, y, k*(k-1))
			if q := float64(m*k) / float64(m+k) * energy; q > best.q*(1+1e-9) && q > 0 {
				best = split{at, q}
			}
		}
	}
	return best
}

func TestPanics(t *testing.T) {
	for name, find := range map[string]func(){
		"NaN":   func() { Find([]float64{math.NaN()}, Default()) },
		"alpha": func() { Find(nil, Options{Alpha: 1, Permutations: 999, Shortest: 3}) },
		"too few to judge": func() {
			Find(nil, Options{Alpha: 0.01, Permutations: 50, Shortest: 3})
		},
		"one is no level": func() {
			Find(nil, Options{Alpha: 0.01, Permutations: 999, Shortest: 1})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			find()
		}()
	}
}

func BenchmarkFind(b *testing.B) {
	rng := rand.New(rand.NewPCG(12, 1))
	for name, values := range map[string][]float64{"constant=false": levels(rng, 0.03, 50, 1, 1.1),
		"constant=true": levels(rng, 0.03, 100, 1)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Find(values, Default())
			}
		})
	}
}
