package documents

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestCalibratePlan(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Succeed(t, "calibrate", "--dry-run").Stdout
	for _, want := range []string{"# A1: M/M/4 at load 0.8\n", "# A6: in steps of 1 ms\n",
		"/strategy=token_bucket:rate=100,burst=5/"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
