package studies

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
)

// TestClaims: the studies in docs/measured/claims.md have the answers that the page gives. Answers
// that are measured on the real clock are the machine's.
func TestClaims(t *testing.T) {
	text, err := os.ReadFile("../../docs/measured/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| .* \\| `poolbench study (\\w+) --quick` \\| (.*) \\|$")
	verdict := regexp.MustCompile(`\*\*(.+?)\*\*`)
	rows := row.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 18 {
		t.Fatalf("the page has %d studies", len(rows))
	}
	for _, r := range rows {
		s, err := Lookup(r[1])
		if err != nil {
			t.Error(err)
			continue
		}
		said := verdict.FindStringSubmatch(r[2])
		if said == nil {
			if !strings.HasPrefix(r[2], "*by machine*") {
				t.Errorf("%s has no verdict: %s", r[1], r[2])
			}
			continue
		}
		if testing.Short() {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			suite, err := s.Suite(Quick, 1)
			if err != nil {
				t.Fatal(err)
			}
			virtual := slices.DeleteFunc(slices.Clone(suite.Scenarios), func(sc bench.Scenario) bool {
				return sc.Clock != bench.Virtual
			})
			real := len(suite.Scenarios) - len(virtual)
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
			f := s.Find(results)
			if f.Verdict == decide.ClaimUndecided && real > 0 {
				t.Skip("decided on the real clock")
			}
			if strings.ToUpper(string(f.Verdict)) != said[1] {
				t.Errorf("%v: %s, and the page says %s", f.Verdict, f.Because, said[1])
			}
		})
	}
}
