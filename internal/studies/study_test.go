package studies_test

import (
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/studies"
)

// TestStudies: every study can be run, asks a question of its own, and shares no cell with another; all together are planned to take
// less than 80 s, which leaves 10 of the 90 that a default run may take for the report.
func TestStudies(t *testing.T) {
	var total time.Duration
	cells, questions := map[string]string{}, map[string]bool{}
	for _, s := range studies.All() {
		if s.Question == "" || questions[s.Question] || s.Count < 1 {
			t.Errorf("study %s: question %q, %d repetitions", s.Name, s.Question, s.Count)
		}
		questions[s.Question] = true
		suite, err := s.Suite()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, sc := range suite.Scenarios {
			if other := cells[sc.Name()]; other != "" {
				t.Errorf("%s belongs to the studies %s and %s: their runs would pool", sc.Name(), other, s.Name)
			}
			cells[sc.Name()] = s.Name
		}
		suite.Parallel = 2
		if !s.Apart {
			total += suite.Estimate()
		}
		t.Logf("%-15s %4d runs, %v", s.Name, suite.Runs(), suite.Estimate().Round(time.Second))
	}
	if total > 80*time.Second {
		t.Errorf("the default run is planned to take %v", total)
	}
}

// TestWork: every study's strategies face the same work, so the scenarios of a study differ in nothing but what is compared.
func TestWork(t *testing.T) {
	for _, s := range studies.All() {
		suite, err := s.Suite()
		if err != nil {
			t.Fatal(err)
		}
		for _, sc := range suite.Scenarios {
			// Parts of a study whose scenarios are no product may want runs of different lengths.
			if sc.Seed != suite.Scenarios[0].Seed || sc.Clock != suite.Scenarios[0].Clock || s.Cells == nil && sc.Stop != suite.Scenarios[0].Stop {
				t.Errorf("study %s: %s differs in seed, clock or stop", s.Name, sc.Name())
			}
			if sc.Clock == bench.Virtual && sc.Stop.Tasks == 0 {
				t.Errorf("study %s: a virtual run is given a duration, so its precision is left to chance", s.Name)
			}
		}
	}
}
