package comparisons

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func sampleFile(name string, n int, center float64) string {
	var b strings.Builder
	b.WriteString("Unit p99-response-sec better=lower\n")
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s 1 %.9f p99-response-sec\n", name,
			center*(1+0.001*float64(i%7)))
	}
	return b.String()
}

func TestGateExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "old", sampleFile("A", 10, 0.050))
	clitest.Write(t, "same", sampleFile("A", 10, 0.050))
	clitest.Write(t, "slower", sampleFile("A", 10, 0.060))
	clitest.Write(t, "faster", sampleFile("A", 10, 0.040))
	clitest.Write(t, "few", sampleFile("A", 2, 0.060))
	clitest.Write(t, "missing", sampleFile("A", 10, 0.050)+strings.Replace(sampleFile("B", 10,
		0.050),
		"Unit p99-response-sec better=lower\n", "", 1))
	clitest.Write(t, "partial", "# poolbench results 1\n"+sampleFile("A", 10, 0.050)+
		"# partial 10 of 20 runs: interrupted\n")
	clitest.Write(t, "directionless", strings.NewReplacer("Unit p99-response-sec better=lower\n", "",
		"p99-response-sec", "frobs").Replace(sampleFile("A", 10, 0.05)))
	clitest.Write(t, "clumsier", strings.NewReplacer("Unit p99-response-sec better=lower\n", "",
		"p99-response-sec", "frobs").Replace(sampleFile("A", 10, 0.06)))
	for _, c := range []struct {
		args string
		want int
	}{
		{"old same", clitest.Fine},
		{"old faster", clitest.Fine},
		{"old slower", clitest.Regression},
		{"old slower --margin 30% --promise 50%", clitest.Fine},
		{"few few", clitest.Undecided},
		{"old partial", clitest.Undecided},
		{"old partial --allow-partial", clitest.Fine},
		{"missing old", clitest.Fine},
		{"missing slower", clitest.Regression},
		{"missing old --fail-on removed", clitest.Regression},
		{"old missing --fail-on removed", clitest.Fine},
		{"directionless directionless", clitest.Unusable},
		{"directionless directionless --better frobs=lower", clitest.Fine},
		{"directionless clumsier --better frobs=lower", clitest.Regression},
		{"directionless clumsier --better frobs=higher", clitest.Fine},
		{"old slower --metric p99-response-sec", clitest.Regression},
	} {
		for _, format := range []string{"text", "markdown", "json"} {
			o := clitest.Command(t, append([]string{"gate", "--format", format},
				strings.Fields(c.args)...)...)
			told := strings.Contains(o.Stderr, "gate: cannot decide: ")
			if o.Code != c.want || o.Stdout == "" || told != (c.want == clitest.Unusable) ||
				!told && o.Stderr != "" {
				t.Errorf("gate %s --format %s: exit code %d, want %d\n%s%s", c.args, format, o.Code,
					c.want, o.Stdout, o.Stderr)
			}
			if format == "json" && !json.Valid([]byte(o.Stdout)) {
				t.Errorf("gate %s: not JSON: %s", c.args, o.Stdout)
			}
		}
	}
}

func TestCompareFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Succeed(t, clitest.Quick("--count", "4", "--out", "a")...)
	clitest.Succeed(t, clitest.Quick("--count", "4", "--out", "b", "--seed", "9")...)
	for format, word := range map[string]string{"text": "p99 response", "markdown": "|",
		"csv": ",", "json": `"`} {
		o := clitest.Succeed(t, "compare", "a", "b/results.txt", "--format", format)
		if !strings.Contains(o.Stdout, word) {
			t.Errorf("%s: %s", format, o.Stdout)
		}
	}
	if o := clitest.Succeed(t, "compare", "a", "b", "--metric", "ops/s"); strings.Contains(o.Stdout,
		"response") {
		t.Errorf("--metric ops/s, and yet: %s", o.Stdout)
	}
}

func TestComparePartial(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "whole", sampleFile("A", 10, 0.050))
	head := "# poolbench results 1\n" + sampleFile("A", 10, 0.050)
	clitest.Write(t, "interrupted", head+"# partial 10 of 20 runs: interrupted\n")
	clitest.Write(t, "killed", head)
	clitest.Write(t, "halfline", head[:len(head)-9])
	for _, name := range []string{"interrupted", "killed", "halfline"} {
		for _, args := range [][]string{{"compare", "whole", name}, {"compare", name, "whole"}} {
			o := clitest.Command(t, args...)
			if o.Code != clitest.Unusable || o.Stdout != "" ||
				!strings.HasPrefix(o.Stderr, "poolbench: "+name+" is incomplete: ") ||
				strings.Count(o.Stderr, "\n") != 1 {
				t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, o.Code, o.Stdout, o.Stderr)
			}
			if o := clitest.Succeed(t, append(args,
				"--allow-partial")...); !strings.Contains(o.Stdout,
				name+" is incomplete") {
				t.Errorf("%v --allow-partial does not say so: %s", args, o.Stdout)
			}
		}
	}
}

func TestReportCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Succeed(t, clitest.Quick("--out", "x")...)
	before := clitest.Read(t, "x/report.html")
	clitest.Write(t, "x/report.html", "scribbled")
	if o := clitest.Succeed(t, "report", "x"); o.Stdout != "x/report.html\n" {
		t.Errorf("stdout %q", o.Stdout)
	}
	if clitest.Read(t, "x/report.html") != before {
		t.Error("the report is another one")
	}
}
