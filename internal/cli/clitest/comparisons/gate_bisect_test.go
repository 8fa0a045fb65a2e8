package comparisons

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// A repeated command must print the result without a measurement. The directory must not accept
// another search.
func TestGateBisect(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and measures four revisions")
	}
	gateModule(t, "1000")
	for i := range 4 {
		allocations := 2
		if i >= 2 {
			allocations = 3
		}
		tree{"m_test.go": testFile(timed("A", 1000+float64(i)/8, allocations))}.write(t)
		commit(t)
	}
	args := []string{"gate", "--bisect", "HEAD~3", "HEAD", "--metric", "allocs/op", "--benchtime",
		"1ms", "--layouts", "1"}
	found := clitest.Command(t, args...)
	for _, want := range []string{"BenchmarkA allocs/op is worse by +1 (3 after 2)",
		"bisect: found"} {
		if found.Code != clitest.Fine || !strings.Contains(found.Stdout, want) {
			t.Fatalf("exit code %d, no %q\n%s%s", found.Code, want, found.Stdout, found.Stderr)
		}
	}
	noTrees(t)
	again := clitest.Command(t, args...)
	if again.Code != clitest.Fine || again.Stdout != found.Stdout ||
		!strings.Contains(again.Stderr, "4 gates from an earlier call") {
		t.Errorf("exit code %d\n%s%s", again.Code, again.Stdout, again.Stderr)
	}
	var document struct {
		Format  string
		Exit    int
		Outcome string
		Found   struct{ Hash, Subject string }
		Change  struct {
			Metric   string
			Old, New struct{ Median float64 }
		}
		Gates int
	}
	o := clitest.Command(t, append(args, "--format", "json", "--quiet")...)
	if err := json.Unmarshal([]byte(o.Stdout), &document); err != nil || o.Stderr != "" {
		t.Fatalf("%v\n%s%s", err, o.Stdout, o.Stderr)
	}
	if document.Format != "poolbench bisect" || document.Exit != 0 ||
		document.Outcome != "found" || len(document.Found.Hash) != 40 ||
		document.Change.Metric != "allocs/op" || document.Change.Old.Median != 2 ||
		document.Change.New.Median != 3 || document.Gates > 4 ||
		!strings.Contains(found.Stdout, document.Found.Hash) {
		t.Errorf("%+v\n%s", document, o.Stdout)
	}
	o = clitest.Command(t, append(args, "--bench", "B")...)
	if o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "belongs to another search: bench was ., and now is B") {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
}
