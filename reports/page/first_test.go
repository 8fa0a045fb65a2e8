package page

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// The figure of a single run is its distribution, or without a histogram its time series.
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

// The headline names its limit and workload if the file contains others.
func TestOneOfSeveral(t *testing.T) {
	headline := func(scenarios ...sampleScenario) string {
		r, err := Load(resultstest.Files(t, sampleFiles(scenarios)))
		if err != nil {
			t.Fatal(err)
		}
		return r.page.First.Headline
	}
	at := func(workload string, limit int, load float64) sampleScenario {
		return sampleScenario{workload, "poisson", 1, limit, load, "virtual", 4000, 1}
	}
	one := headline(at("exponential:mean=10ms", 4, 0.5), at("exponential:mean=10ms", 4, 0.8))
	limits := headline(at("exponential:mean=10ms", 4, 0.5), at("exponential:mean=10ms", 4, 0.8),
		at("exponential:mean=10ms", 8, 0.5), at("exponential:mean=10ms", 8, 0.8))
	both := headline(at("exponential:mean=10ms", 4, 0.8), at("constant:mean=10ms", 4, 0.8))
	for said, want := range map[string]string{one: "[^)]$", limits: `\(limit [48]\)$`,
		both: `\((exponential|constant):mean=10ms\)$`} {
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%q, want %s", said, want)
		}
	}
}
