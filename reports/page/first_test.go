package page

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/poolbench/poolbench/internal/files/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// TestSingleRun: what was run once, at one load, with one strategy, has its distribution on the
// first screen; without a histogram its course, and with neither no figure.
func TestSingleRun(t *testing.T) {
	files := sampleFiles([]sampleScenario{
		{"exponential:mean=10ms", "poisson", 1, 4, 0.8, "virtual", 4000, 1}})
	files[rundir.ResultsFile] = regexp.MustCompile(
		`(?m)^BenchmarkRun/strategy=(bounded|unbounded|worker|semaphore|errgroup).*\n`).
		ReplaceAll(files[rundir.ResultsFile], nil)
	if n := bytes.Count(files[rundir.ResultsFile], []byte("\nBenchmarkRun/")); n != 1 {
		t.Fatalf("%d runs", n)
	}
	dir := resultstest.Files(t, files)
	for _, c := range []struct{ want, without string }{
		{"distribution", rundir.DistributionsFile}, {"timeline", rundir.TimelineFile}, {"", ""},
	} {
		r, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		f := r.page.First.Figure
		if (f == nil) != (c.want == "") || f != nil && f.ID[:len(c.want)] != c.want {
			t.Errorf("on the first screen: %+v, want %q", f, c.want)
		}
		if c.without == "" {
			break
		}
		if err := os.Remove(filepath.Join(dir, c.without)); err != nil {
			t.Fatal(err)
		}
	}
}
