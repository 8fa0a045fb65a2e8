package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/gate/judge"
)

// p is exact up to the sizes in the help text: 25 values per side with ties, 50 without.
func TestExactUpTo(t *testing.T) {
	help, err := os.ReadFile("../../internal/cli/program/help/compare.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(help)), " "), "For equal sizes, p is "+
		"equal to benchstat's: exact for up to 25 values a side with ties and 50 without, then "+
		"approximated by the normal distribution.") {
		t.Errorf("the help text says otherwise:\n%s", help)
	}
	rng := rand.New(rand.NewPCG(6, 1))
	for _, c := range []struct {
		n     int
		ties  bool
		exact bool
	}{{25, true, true}, {26, true, false}, {40, true, false}, {50, false, true}} {
		var values [2][]float64
		for side := range values {
			for range c.n {
				v := float64(side) + 3*rng.NormFloat64()
				if c.ties {
					v = math.Round(v)
				}
				values[side] = append(values[side], v)
			}
		}
		sample := func(side int) *benchmath.Sample {
			return benchmath.NewSample(slices.Clone(values[side]), &benchmath.DefaultThresholds)
		}
		got := compareSamples(judge.RankSums{}, benchmath.AssumeNothing, sample(0), sample(1)).P
		exact := judge.RankSums{}.Test(values[0], values[1]).TwoSided()
		if (math.Abs(got/exact-1) < 1e-9) != c.exact {
			t.Errorf("%d a side, ties %v: p = %v, exactly %v", c.n, c.ties, got, exact)
		}
	}
}
