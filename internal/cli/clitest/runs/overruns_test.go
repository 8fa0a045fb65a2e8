package runs

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestOverrunsAreShown(t *testing.T) {
	args := []string{"run", "--clock", "virtual", "--timeout", "100ms", "--load", "0.1", "--n",
		"1000", "--quiet", "--out", t.TempDir() + "/out", "--workload"}
	shown := strings.Join(strings.Fields(clitest.Succeed(t, append(args,
		"evil:p=0.05,late=1s")...).Stdout), " ")
	for _, want := range []string{"failed overruns", "attempts that continued after their timeout",
		"(mean 1.00 s, longest 1.00 s)"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	args[len(args)-2] += "2"
	if shown := clitest.Succeed(t, append(args, "evil:p=0.05")...).Stdout; strings.Contains(shown,
		"overruns") || strings.Contains(shown, "ran on") {
		t.Errorf("overruns of tasks that end with their timeout in\n%s", shown)
	}
}
