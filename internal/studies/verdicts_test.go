package studies

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

var (
	seeds = flag.Int("seeds", 0, "TestVerdicts takes the verdict of each study with so many seeds")
	which = flag.String("studies", "", "only of these, with commas")
)

// Different seeds must lead to the same verdict. Only scenarios under the virtual clock are used.
// At most one in twenty decided verdicts may differ.
func TestVerdicts(t *testing.T) {
	if *seeds == 0 {
		t.Skip("takes minutes: -seeds 20")
	}
	for _, s := range All() {
		if *which != "" && !strings.Contains(","+*which+",", ","+s.Name+",") {
			continue
		}
		counts := map[decide.ClaimVerdict]int{}
		for i := range *seeds {
			f, _ := virtualFinding(t, s, uint64(1+100*i))
			counts[f.Verdict]++
			t.Logf("%s, seeds from %d: %v: %s", s.Name, 1+100*i, f.Verdict, f.Because)
		}
		line, most, decided := fmt.Sprintf("%-15s", s.Name), 0, 0
		for _, v := range decide.ClaimVerdicts {
			if line += fmt.Sprintf(" %14s %2d", v, counts[v]); v != decide.ClaimUndecided {
				most, decided = max(most, counts[v]), decided+counts[v]
			}
		}
		fmt.Println(line)
		if 20*(decided-most) > *seeds {
			t.Errorf("study %s: of %d verdicts only %d agree", s.Name, decided, most)
		}
	}
}

// virtualFinding runs the quick size of a study. left is the number of omitted real-clock
// scenarios.
func virtualFinding(t *testing.T, s Study, seed uint64) (f decide.Finding, left int) {
	t.Helper()
	suite, err := s.Suite(Quick, seed)
	if err != nil {
		t.Fatal(err)
	}
	virtual := slices.DeleteFunc(slices.Clone(suite.Scenarios), func(sc bench.Scenario) bool {
		return sc.Clock != bench.Virtual
	})
	left = len(suite.Scenarios) - len(virtual)
	suite.Scenarios, suite.Parallel = virtual, 2
	var results []*bench.Result
	if err := suite.Do(t.Context(), bench.Run,
		func(_ bench.Scenario, r *bench.Result, err error) error {
			if err == nil {
				r.Readings, r.Timeline, r.Responses, r.Slowest = nil, nil, "", nil
			}
			results = append(results, r)
			return err
		}); err != nil {
		t.Fatal(err)
	}
	return s.Find(results), left
}
