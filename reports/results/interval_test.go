package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// The interval must contain the exact p99 of M/M/4 at a load of 0.8 for any number of short runs.
// Student's t alone contained it in 7 of 10 cells of 5 runs, and in 3 of 10 cells of 40 runs.
func TestSeedsCover(t *testing.T) {
	const n, warmup, groups = 2000, 200, 100
	exact := theory.Must(theory.MMk(theory.Pool{Rate: 320, MeanService: 0.01, Limit: 4})).P99()
	random := rand.New(rand.NewPCG(1, 2))
	var pool recursion.Pool
	due, service := make([]int64, n), make([]int64, n)
	for _, count := range []int{EnoughSeeds, 40} {
		held := 0
		for range groups {
			var c Cell
			for seed := range count {
				at := 0.0
				for i := range n {
					at += random.ExpFloat64() / 320
					due[i], service[i] = int64(at*1e9), int64(random.ExpFloat64()*1e7)
				}
				pool.Run(due, service, 4, recursion.NeverFull)
				p99 := statistics.NearestRanks(nil, pool.Responses()[warmup:], 0.99)[0]
				c = append(c, &Run{Seed: fmt.Sprint(seed), Iters: n - warmup,
					Values: map[string]float64{"p99-response-sec": float64(p99) / 1e9,
						"needed-tasks": 193_000}}) // the mean of 40 such runs
			}
			if in, _ := c.Interval("p99-response-sec"); in.Lo <= exact && exact <= in.Hi {
				held++
			}
		}
		if least := 0.95*groups - 3*math.Sqrt(0.05*0.95*groups); float64(held) < least {
			t.Errorf("%d seeds: %d of %d intervals hold, fewer than %.0f", count, held, groups, least)
		}
	}
}

// Runs whose error equals the value have no common interval.
func TestSeedsTooShort(t *testing.T) {
	for text, want := range map[string]bool{"": true, "theory: it is another": true,
		"too short: the p99 response": false} {
		var c Cell
		for i := range EnoughSeeds {
			c = append(c, &Run{Seed: fmt.Sprint(i), Iters: 1000, Doubts: []Doubt{{Text: text}},
				Values: map[string]float64{"p99-response-sec": 1, "mean-wait-sec": 2}})
		}
		p99, told := c.Interval("p99-response-sec")
		if _, wait := c.Interval("mean-wait-sec"); told != want || wait != want ||
			told && p99 != (Estimate{1, 1, 1}) {
			t.Errorf("%q: p99 %v, %v, mean wait %v", text, p99, told, wait)
		}
	}
}

func TestOneInterval(t *testing.T) {
	var c Cell
	for i, p99 := range []float64{0.158, 0.16, 0.17, 0.19, 0.22, 0.31} {
		c = append(c, &Run{Name: "Run/strategy=worker_pool", Seed: fmt.Sprint(i), Iters: 90_000,
			Values: map[string]float64{"p99-response-sec": p99, "needed-tasks": 1_600_000}})
	}
	in, ok := c.Interval("p99-response-sec")
	if !ok || math.Abs(in.Mid-0.18) > 1e-9 || in.Lo > in.Mid || in.Hi < 0.22 {
		t.Errorf("%+v, %v", in, ok)
	}
	if e, _ := c.Estimate("p99-response-sec"); e != in {
		t.Errorf("tables have %+v, want %+v", e, in)
	}
	d := c.Decide(Bound{Unit: "p99-response-sec", Op: "<", Value: 1})
	if d.Value != in.Mid || d.Low != in.Lo || d.High != in.Hi {
		t.Errorf("the decision has %+v, want %+v", d, in)
	}
	half := max(in.Hi-in.Mid, in.Mid-in.Lo) / in.Mid
	if of, ok := c.Certainty(); !ok || of.Half != half {
		t.Errorf("the certainty is %+v, want %v", of, half)
	}
}
