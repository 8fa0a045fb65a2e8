package shell

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/poolbench/poolbench/reports/results"
)

// Reliability counts scenarios by their reliability.
type Reliability struct {
	Valid, Suspect, Invalid int
	Overload                int    // requested overload, which is not a doubt
	Unknown                 int    // without a verdict
	Short                   int    // valid, but too short for a p99 within ±10 %
	Why                     string // the most frequent failed check: "lag, 3 of 5"
}

// TrustOf counts each scenario once.
func TrustOf(sweeps []Sweep) (t Reliability) {
	seen := make(map[*results.Run]bool)
	checks := make(map[string]int)
	for _, s := range sweeps {
		for _, c := range s.Cases {
			if seen[c.Cell[0]] {
				continue
			}
			seen[c.Cell[0]] = true
			d := c.Doubts()
			switch {
			case d == nil && !c.Judged():
				t.Unknown++
				continue
			case d == nil:
				t.Valid++
				if certainty, ok := c.Certainty(); ok && certainty.Short {
					t.Short++
				}
				continue
			case c.Overloaded():
				t.Overload++
				continue
			case d.Verdict == results.Invalid:
				t.Invalid++
			default:
				t.Suspect++
			}
			if len(d.Why) > 0 {
				checks[d.Why[0].Check()]++
			}
		}
	}
	if len(checks) > 0 {
		main := slices.MaxFunc(slices.Sorted(maps.Keys(checks)), func(a, b string) int {
			return cmp.Compare(checks[a], checks[b])
		})
		t.Why = main
		if n := t.Suspect + t.Invalid; n > 1 {
			t.Why = fmt.Sprintf("%s, %d of %d", main, checks[main], n)
		}
	}
	return t
}
