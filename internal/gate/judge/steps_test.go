package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func TestStepOf(t *testing.T) {
	for _, c := range []struct {
		base, head []float64
		want       float64
	}{
		{[]float64{3, 3}, []float64{3, 3}, 1}, {[]float64{3, 4}, []float64{3}, 1},
		{[]float64{10, 20}, []float64{10, 40}, 10}, {[]float64{0.25, 0.5}, []float64{1}, 0.25},
		{[]float64{3e6 * 1e-9, 4e6 * 1e-9}, []float64{3e6 * 1e-9}, 1e-3},
		{[]float64{120}, []float64{120}, 1}, {[]float64{0}, []float64{0}, 0},
		{[]float64{0}, []float64{5}, 1},
		{[]float64{1.01, 1.02}, []float64{1.05}, 0.01},
		{[]float64{2.5e-7}, []float64{2.5e-7}, 1e-8}, {[]float64{3, 3}, []float64{6, 6}, 1},
		{[]float64{3, 6}, []float64{9}, 3},
	} {
		if got := stepOf(c.base, c.head, 1); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("%v and %v: %v, want %v", c.base, c.head, got, c.want)
		}
	}
	rng := rand.New(rand.NewPCG(31, 1))
	if got := stepOf(logNormal(rng, 20, 0.05, 1), logNormal(rng, 20, 0.05, 1), 1); got > 1e-9 {
		t.Errorf("of values with all digits: %v", got)
	}
}

func rounded(rng *rand.Rand, n int, mean, sd, step float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = step * math.Round((mean+sd*rng.NormFloat64())/step)
	}
	return values
}

// Rounding may explain a difference of one step, and hides changes smaller than a step.
func TestCoarse(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for _, unit := range []string{"ms-p99", "p50-latency-us", "us/op", "p99-s", "reqs/s"} {
		for _, n := range []int{6, 20, 40} {
			for _, by := range []float64{1, 0.001} {
				for _, sd := range []float64{0, 0.2, 0.6} {
					m := Metric{Benchmark: "b", Unit: unit, Better: verdict.LowerIsBetter}
					if unit == "reqs/s" {
						m.Better = verdict.HigherIsBetter
					}
					base, head := rounded(rng, n, 3*by, sd*by, by),
						rounded(rng, n, 3.4*by, sd*by, by)
					unpaired, err := Weigh(Defaults(), 1,
						Sample{Metric: m, Base: base, Head: head})
					if err != nil {
						t.Fatal(err)
					}
					var pairs []Pair
					for i := range base {
						pairs = append(pairs, Pair{base[i], head[i]})
					}
					paired, err := Weigh(Defaults(), 1, Sample{Metric: m, Pairs: pairs})
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range []Evidence{unpaired, paired} {
						rows, _ := concluded(Defaults(), e)
						c := rows[0]
						if c.Verdict == verdict.NoWorse ||
							c.Verdict != verdict.Inconclusive && sd < 0.5 ||
							c.Detectable < math.Log(4.0/3)-1e-9 {
							t.Errorf("%s, %d of %v with noise of %v: %s, %+v", unit, n, by,
								sd, c.Verdict, e)
						}
						if sd == 0 && !strings.Contains(c.Reason, "rounded to steps of 33%") {
							t.Errorf("because: %s", c.Reason)
						}
					}
					if screened, err := Screen(Defaults(),
						[]Sample{{Metric: m, Pairs: pairs}}); err != nil || sd == 0 &&
						(len(screened.Suspects()) > 0 ||
							maxSevere(&screened.report) != verdict.Inconclusive) {
						t.Errorf("%s: screened %+v, %v", unit, screened.report, err)
					}
				}
			}
		}
	}
}

// Rounding must not matter for counts, exact values, fine steps and differences of two steps.
func TestNotCoarse(t *testing.T) {
	for _, c := range []struct {
		name       string
		m          Metric
		base, head float64
		want       verdict.Verdict
	}{
		{"two steps", Metric{Unit: "ms-p99"}, 3, 5, verdict.Worse},
		{"whole numbers", Metric{Unit: "ms"}, 300, 300, verdict.NoWorse},
		{"whole nanoseconds", Metric{Unit: "sec/op"}, 1e-7, 1e-7, verdict.NoWorse},
		{"few nanoseconds", Metric{Unit: "sec/op"}, 3e-9, 3e-9, verdict.Inconclusive},
		{"two steps back", Metric{Unit: "ms-p99"}, 5, 3, verdict.Better},
		{"allocs", Metric{Unit: "allocs/op"}, 3, 3, verdict.NoWorse},
		{"an alloc more", Metric{Unit: "allocs/op"}, 3, 4, verdict.Worse},
		{"shares per op", Metric{Unit: "shed/op"}, 0.25, 0.25, verdict.NoWorse},
		{"a count", Metric{Unit: "goroutines"}, 8, 8, verdict.NoWorse},
		{"no count", Metric{Unit: "hit-ratio"}, 0.5, 0.5, verdict.Inconclusive},
		{"in full", Metric{Unit: "p50-service-sec", Full: true}, 0.001, 0.001, verdict.NoWorse},
		{"zero", Metric{Unit: "p50-wait-ns"}, 0, 0, verdict.NoWorse},
		{"from zero", Metric{Unit: "p50-wait-ns"}, 0, 1, verdict.Worse},
		{"5.00 MB/s", Metric{Unit: "B/s"}, 5e6, 5e6, verdict.NoWorse},
		{"0.05 MB/s", Metric{Unit: "B/s"}, 5e4, 5e4, verdict.Inconclusive},
		{"whole bytes", Metric{Unit: "B/s"}, 300, 300, verdict.NoWorse},
		{"four digits", Metric{Unit: "sec/op"}, 1.234e-6, 1.234e-6, verdict.NoWorse},
	} {
		c.m.Benchmark, c.m.Better = "b", verdict.LowerIsBetter
		for _, paired := range []bool{false, true} {
			base, head := make([]float64, 10), make([]float64, 10)
			for i := range base {
				base[i], head[i] = c.base, c.head
			}
			e, err := Weigh(Defaults(), 1, Sample{Metric: c.m, Base: base, Head: head})
			if paired {
				e, err = Weigh(Defaults(), 1,
					Sample{Metric: c.m, Pairs: repeated(10, c.base, c.head)})
			}
			if got, _ := concluded(Defaults(), e); err != nil || got[0].Verdict != c.want {
				t.Errorf("%s, paired %v: %s, want %s (%v)", c.name, paired, got[0].Verdict,
					c.want, fmt.Sprint(err))
			}
		}
	}
}
