package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// sampleFile is a benchmark file with that many repetitions of a response around a centre, in
// seconds.
func sampleFile(name string, n int, center float64) string {
	var b strings.Builder
	b.WriteString("Unit p99-response-sec better=lower\n")
	for i := range n {
		fmt.Fprintf(&b, "Benchmark%s 1 %.9f p99-response-sec\n", name,
			center*(1+0.001*float64(i%7)))
	}
	return b.String()
}

// TestGateExitCodes: a known regression fails, unchanged code passes, and what cannot be judged
// does neither.
func TestGateExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "old", sampleFile("A", 10, 0.050))
	write(t, "same", sampleFile("A", 10, 0.050))
	write(t, "slower", sampleFile("A", 10, 0.060))
	write(t, "faster", sampleFile("A", 10, 0.040))
	write(t, "few", sampleFile("A", 2, 0.060))
	write(t, "missing", sampleFile("A", 10, 0.050)+strings.Replace(sampleFile("B", 10, 0.050),
		"Unit p99-response-sec better=lower\n", "", 1))
	write(t, "partial", "# poolbench results 1\n"+sampleFile("A", 10, 0.050)+
		"# partial 10 of 20 runs: interrupted\n")
	write(t, "directionless",
		strings.Replace(sampleFile("A", 10, 0.05), "Unit p99-response-sec better=lower\n", "", 1))
	for _, c := range []struct {
		args string
		want int
	}{
		{"old same", fine},
		{"old faster", fine},
		{"old slower", regression},
		{"old slower --margin 30% --promise 50%", fine},
		{"few few", undecided},
		{"old partial", undecided},
		{"old partial --allow-partial", fine},
		{"missing old", unusable},
		{"missing slower", unusable},
		{"directionless directionless", unusable},
		{"old slower --metric p99-response-sec", regression},
	} {
		for _, format := range []string{"text", "markdown", "json"} {
			o := command(t, append([]string{"gate", "--format", format},
				strings.Fields(c.args)...)...)
			if o.code != c.want || o.stdout == "" || o.stderr != "" {
				t.Errorf("gate %s --format %s: exit code %d, want %d\n%s%s", c.args, format, o.code,
					c.want, o.stdout, o.stderr)
			}
			if format == "json" && !json.Valid([]byte(o.stdout)) {
				t.Errorf("gate %s: not JSON: %s", c.args, o.stdout)
			}
		}
	}
}

// TestCompareFormats: directories and files alike, in every format.
func TestCompareFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, quick("--count", "4", "--out", "a")...)
	succeed(t, quick("--count", "4", "--out", "b", "--seed", "9")...)
	for format, word := range map[string]string{"text": "p99 response", "markdown": "|",
		"csv": ",", "json": `"`} {
		o := succeed(t, "compare", "a", "b/results.txt", "--format", format)
		if !strings.Contains(o.stdout, word) {
			t.Errorf("%s: %s", format, o.stdout)
		}
	}
	if o := succeed(t, "compare", "a", "b", "--metric", "ops/s"); strings.Contains(o.stdout,
		"response") {
		t.Errorf("--metric ops/s, and yet: %s", o.stdout)
	}
}

// TestComparePartial: what was interrupted or cut off is compared only when asked for.
func TestComparePartial(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "whole", sampleFile("A", 10, 0.050))
	head := "# poolbench results 1\n" + sampleFile("A", 10, 0.050)
	write(t, "interrupted", head+"# partial 10 of 20 runs: interrupted\n")
	write(t, "killed", head)
	write(t, "halfline", head[:len(head)-9])
	for _, name := range []string{"interrupted", "killed", "halfline"} {
		for _, args := range [][]string{{"compare", "whole", name}, {"compare", name, "whole"}} {
			o := command(t, args...)
			if o.code != unusable || o.stdout != "" ||
				!strings.HasPrefix(o.stderr, "poolbench: "+name+" is not whole: ") ||
				strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, o.code, o.stdout, o.stderr)
			}
			if o := succeed(t, append(args, "--allow-partial")...); !strings.Contains(o.stdout,
				name+" is not whole") {
				t.Errorf("%v --allow-partial does not say so: %s", args, o.stdout)
			}
		}
	}
}

// TestReportCommand: the report comes back after it was deleted, and its path is printed.
func TestReportCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, quick("--out", "x")...)
	before := read(t, "x/report.html")
	write(t, "x/report.html", "scribbled")
	if o := succeed(t, "report", "x"); o.stdout != "x/report.html\n" {
		t.Errorf("stdout %q", o.stdout)
	}
	if read(t, "x/report.html") != before {
		t.Error("the report is another one")
	}
}
