package comparisons

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// --allow accepts one more allocation of one benchmark. Other benchmarks, and a larger growth, must
// still fail.
func TestGateAllow(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := func(parse, parseBytes, format int) string {
		var s strings.Builder
		for range 5 {
			fmt.Fprintf(&s, "BenchmarkParse/n=1-8\t100\t1000 ns/op\t%d B/op\t%d allocs/op\n"+
				"BenchmarkFormat-8\t100\t1000 ns/op\t32 B/op\t%d allocs/op\n", parseBytes, parse,
				format)
		}
		return s.String()
	}
	clitest.Write(t, "old.txt", lines(10, 1000, 2))
	clitest.Write(t, "one.txt", lines(11, 1040, 2))
	clitest.Write(t, "both.txt", lines(11, 1040, 3))
	for _, c := range []struct {
		new  string
		args string
		code int
		says string
	}{
		{"old.txt", "", clitest.Fine, "gate: pass: no regression of 10 % or more in "},
		{"one.txt", "", clitest.Regression, "gate: worse: "},
		{"one.txt", "--allow allocs/op=1", clitest.Regression, "gate: worse: "},
		{"one.txt", "--allow allocs/op=1 --allow B/op=5%", clitest.Fine, "within the allowance"},
		{"one.txt", "--allow Parse:allocs/op=1 --allow Parse:B/op=40", clitest.Fine,
			"gate: pass: no regression of 10 % or more in "},
		{"one.txt", "--allow Parse/n=1:allocs/op=10% --allow BenchmarkParse:B/op=4%",
			clitest.Fine, "gate: pass: no regression of 10 % or more in "},
		{"one.txt", "--allow Parse:allocs/op=1 --allow Parse:B/op=39", clitest.Regression,
			"gate: worse: "},
		{"both.txt", "--allow Parse:allocs/op=1 --allow Parse:B/op=5%", clitest.Regression,
			"gate: worse: "},
		{"old.txt", "--allow Gone:allocs/op=1", clitest.Fine,
			"note: --allow Gone:allocs/op=1 matches no metric with a verdict\n"},
		{"old.txt", "--allow sec/op=5%", clitest.Unusable,
			"sec/op is neither allocs/op nor B/op: --margin is for other metrics"},
	} {
		args := append([]string{"gate", "old.txt", c.new, "--metric", "allocs/op", "--metric",
			"B/op"}, strings.Fields(c.args)...)
		if o := clitest.Command(t, args...); o.Code != c.code ||
			!strings.Contains(o.Stdout+o.Stderr, c.says) {
			t.Errorf("%s %s: exit code %d, want %d and %q\n%s%s", c.new, c.args, o.Code, c.code,
				c.says, o.Stdout, o.Stderr)
		}
	}
}
