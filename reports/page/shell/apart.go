package shell

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/reports/results"
)

// From testable repetitions on, the U test can be significant: for 4 and 4, the most extreme order
// has p = 0.029.
const testable = 4

// With fewer repetitions, two strategies differ if all repetitions with the same arrivals have the
// same order by at least this ratio.
const (
	minVirtual = 1.05
	minReal    = 1.25
)

// With the U test, the probability of any false difference is at most 5 % (Bonferroni).
func (c contest) isSignificant(best, other rank) bool {
	a, b := best.Values(c.unit), other.Values(c.unit)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	if len(a) >= testable && len(b) >= testable {
		p := benchmath.AssumeNothing.Compare(
			benchmath.NewSample(a, &benchmath.DefaultThresholds),
			benchmath.NewSample(b, &benchmath.DefaultThresholds)).P
		return p < 0.05/float64(max(len(c.in)-1, 1))
	}
	least := minReal
	if best.Cell[0].Key("clock") == "virtual" {
		least = minVirtual
	}
	ratio := best.value / other.value
	if ratio < 1 {
		ratio = 1 / ratio
	}
	return !math.IsNaN(ratio) && ratio >= least && ordered(best.Cell, other.Cell, c.unit)
}

// ordered compares in pairs if both had the same arrivals, otherwise each of a with each of b.
func ordered(a, b results.Cell, unit string) bool {
	sign, paired := 0, paired(a, b)
	for i, ra := range a {
		for j, rb := range b {
			if paired && i != j {
				continue
			}
			v, ok := ra.Value(unit)
			w, also := rb.Value(unit)
			if !ok || !also || v == w {
				return false
			}
			way := 1
			if v < w {
				way = -1
			}
			if sign == -way {
				return false
			}
			sign = way
		}
	}
	return true
}

func paired(a, b results.Cell) bool {
	return slices.EqualFunc(a, b, func(x, y *results.Run) bool {
		return x.Seed != "" && x.Seed == y.Seed
	})
}

// Basis describes the evidence for differences, by the number of repetitions.
func Basis(cells []results.Cell) string {
	least, clock := math.MaxInt, ""
	for _, c := range cells {
		least, clock = min(least, len(c)), c[0].Key("clock")
	}
	switch {
	case len(cells) == 0:
		return ""
	case least >= testable:
		return "Significance by the Mann–Whitney U test at 5 %, corrected for the number of comparisons."
	case least > 1 && clock == "virtual":
		return "Few repetitions: differences below 5 %, or with different directions, are not " +
			"counted."
	case least > 1:
		return "Few repetitions: differences below 25 %, or with different directions, are not " +
			"counted."
	case clock == "virtual":
		return "One repetition: exact for these arrivals. With other arrivals, the order may " +
			"differ."
	}
	return "One repetition, no test: differences below 25 % are not counted."
}
