package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/studies"
)

// TestStudy: a study's answer is printed, kept with its results, and shown in its report.
func TestStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	out := succeed(t, "study", "scrape", "--quiet", "--out", "x").stdout
	const answer = "limit 64: all 5000 in (N − burst)/rate = 499 s, within 2 %: "
	if !strings.Contains(out, "\n"+answer) {
		t.Errorf("no answer in\n%s", out)
	}
	if !strings.Contains(read(t, "x/results.txt"), "\n# answer "+answer) {
		t.Error("no answer in results.txt")
	}
	if !strings.Contains(read(t, "x/report.html"), "<li>"+answer) {
		t.Error("no answer in report.html")
	}
}

// TestStudiesApart: the default run leaves out the studies that are apart, and a study by name is in no other's way.
func TestStudiesApart(t *testing.T) {
	out := succeed(t, "run", "--dry-run").stdout
	for _, s := range studies.All() {
		if got := strings.Contains(out, "# "+s.Name+": "); got == s.Apart {
			t.Errorf("study %s is in the default run: %v", s.Name, got)
		}
		alone := succeed(t, "study", s.Name, "--dry-run").stdout
		if titles := slices.Collect(strings.Lines(alone)); !strings.HasPrefix(titles[0], "# "+s.Name+": ") {
			t.Errorf("study %s --dry-run begins with %q", s.Name, titles[0])
		}
	}
}
