package runs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestShortFirst(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const badge = "! 1 too short for a p99 within ±10 %"
	t.Chdir(t.TempDir())
	for workload, short := range map[string]bool{"lognormal:mean=20ms,c2=4": true,
		"exponential:mean=5ms": false} {
		o := clitest.Command(t, "run", "--clock", "virtual", "--strategy", "worker_pool",
			"--workload", workload, "--rate", "200", "--limit", "5", "--n", "20000", "--quiet",
			"--out", "x", "--force")
		page := clitest.Read(t, filepath.Join("x", "report.html"))
		first, _, _ := strings.Cut(o.Stdout, "\n\n")
		for of, text := range map[string]string{"terminal": first, "page": page} {
			if strings.Contains(text, badge) != short ||
				strings.Contains(text, "✓ VALID") == short {
				t.Errorf("%s: %s: too short is %v\n%s", workload, of, !short, first)
			}
		}
		if strings.Contains(page, `<li class="badge warn">`+badge) != short {
			t.Errorf("%s: the badge of the page is no warning", workload)
		}
	}
}
