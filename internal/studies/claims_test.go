package studies

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
)

// Only the virtual clock gives the same answers on every machine.
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
			if !strings.HasPrefix(r[2], "*depends on your machine*") {
				t.Errorf("%s has no verdict: %s", r[1], r[2])
			}
			continue
		}
		if testing.Short() {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			f, left := virtualFinding(t, s, 1)
			if f.Verdict == decide.ClaimUndecided && left > 0 {
				t.Skip("decided on the real clock")
			}
			if strings.ToUpper(string(f.Verdict)) != said[1] {
				t.Errorf("%v: %s, and the page says %s", f.Verdict, f.Because, said[1])
			}
		})
	}
}
