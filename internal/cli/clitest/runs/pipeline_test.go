package runs

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// The busiest stage of a pipeline is its bottleneck. Stages that contradict the contract are
// refused.
func TestBottleneckIsNamed(t *testing.T) {
	dir := t.TempDir() + "/out"
	args := []string{"run", "--clock", "virtual", "--workload", "constant:mean=10ms", "--limit", "3",
		"--arrival", "batch", "--n", "1000", "--quiet", "--out", dir, "--strategy"}
	shown := clitest.Succeed(t, append(args, "pipeline:stages=work+1(40ms),worker_pool")...).Stdout
	for _, want := range []string{"25.0 /s", "bottleneck of pipeline:stages=work+1(40ms): stage 2 " +
		"of 2, >99.9 % busy (stage 1 8.33 %)"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if n := strings.Count(shown, "bottleneck"); n != 1 {
		t.Errorf("%d bottlenecks in\n%s", n, shown)
	}
	if text := clitest.Read(t, dir+"/results.txt"); !strings.Contains(text, " 2 bottleneck-stage ") {
		t.Errorf("no bottleneck in\n%s", text)
	}
	const want = "--strategy pipeline: stages: no stage of 3(10ms)+1(40ms) runs the tasks: add work"
	if r := clitest.Command(t, append(args, "pipeline:stages=3(10ms)+1(40ms)")...); r.Code != 2 ||
		!strings.Contains(r.Stderr, want) || strings.Count(r.Stderr, "\n") != 1 {
		t.Errorf("exit %d: %s", r.Code, r.Stderr)
	}
}
