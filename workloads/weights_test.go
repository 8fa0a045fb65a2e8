package workloads_test

import (
	"math"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/workloads"
)

func lawOf(t *testing.T, text string) *workloads.WeightLaw {
	t.Helper()
	v := workloads.MustParse("exponential:weights=" + text)
	l, err := v.Spec.Weights(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestWeights(t *testing.T) {
	for text, shares := range map[string]map[int64]float64{
		"4":                                    {4: 1},
		"uniform(2,5)":                         {2: 0.25, 3: 0.25, 4: 0.25, 5: 0.25},
		"mixture(0.9,1,0.1,8)":                 {1: 0.9, 8: 0.1},
		"mixture(0.25,3,0.25,1,0.5,1000)":      {3: 0.25, 1: 0.25, 1000: 0.5},
		"mixture(1,7)":                         {7: 1},
		"uniform(1048576,1048576)":             {1 << 20: 1},
		"mixture(0.333333333,1,0.666666667,2)": {1: 1. / 3, 2: 2. / 3},
	} {
		l, seen, mean := lawOf(t, text), map[int64]float64{}, 0.0
		const n = 100_000
		for seq := range uint64(n) {
			seen[l.Weight(seq)] += 1. / n
		}
		least, most := int64(math.MaxInt64), int64(0)
		for weight, share := range shares {
			mean, least, most = mean+share*float64(weight), min(least, weight), max(most, weight)
			if off := math.Abs(seen[weight] - share); off > 5*math.Sqrt(share*(1-share)/n)+1e-9 {
				t.Errorf("%s: a share of %v has the weight %d", text, seen[weight], weight)
			}
		}
		if len(seen) != len(shares) || l.Min() != least || l.Max() != most ||
			math.Abs(l.Mean()-mean) > 1e-6*mean {
			t.Errorf("%s: weights %v, from %d to %d, mean %v", text, seen, l.Min(), l.Max(),
				l.Mean())
		}
		if allocs := testing.AllocsPerRun(100, func() { l.Weight(7) }); allocs != 0 {
			t.Errorf("%s: a weight allocates %v times", text, allocs)
		}
	}
	v := workloads.MustParse("exponential:weights=uniform(1,1000)")
	a, _ := v.Spec.Weights(1, v.Values)
	b, _ := v.Spec.Weights(2, v.Values)
	same := 0
	for seq := range uint64(1000) {
		if a.Weight(seq) == b.Weight(seq) {
			same++
		}
	}
	if same > 20 {
		t.Errorf("%d of 1000 weights are the same with two seeds", same)
	}
}

func TestNoWeights(t *testing.T) {
	for _, text := range []string{"exponential", "exponential:weights=1", "bimodal"} {
		v := workloads.MustParse(text)
		if l, err := v.Spec.Weights(1, v.Values); l != nil || err != nil {
			t.Errorf("%s: %v, %v", text, l, err)
		}
	}
	var other workloads.Spec // not registered
	if l, err := other.Weights(1, workloads.Variant{}.Values); l != nil || err != nil {
		t.Errorf("an unregistered workload: %v, %v", l, err)
	}
}

func TestEveryWorkloadTakesWeights(t *testing.T) {
	for _, s := range workloads.All() {
		last := s.Keys[len(s.Keys)-1]
		if last.Name != "weights" {
			t.Errorf("%s takes no weights", s.Name)
		}
	}
}

func TestBadWeights(t *testing.T) {
	for text, want := range map[string]string{
		"0": "want whole numbers from 1 to 1048576", "-1": "want whole", "1.5": "want whole",
		"1048577": "want whole", "uniform(8,1)": "want whole", "uniform(1)": "want whole",
		"uniform(1,2": "unbalanced parentheses", "mixture(1)": "want whole", "exp(10ms)": "want whole",
		"mixture(0.5,1,0.6,2)": "add up to 1.1 instead of 1", "mixture(0,1,1,2)": "want whole",
		"mixture(NaN,1)": "want whole", "uniform()": "want whole", "(1,8)": "want whole",
	} {
		_, err := workloads.Parse("exponential:weights=" + text)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "weights") || strings.Contains(err.Error(), "\n") {
			t.Errorf("weights=%s: %v, want one line with %q", text, err, want)
		}
	}
}
