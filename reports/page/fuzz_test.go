package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/results"
)

func fuzzSample(f *testing.F) (dir string, in *reportInput, groups []*Group) {
	dir = writeSample(f, []sampleScenario{{"exponential", "poisson", 1, 4, 0.8, "virtual", 50, 2}})
	all, err := results.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	return dir, &reportInput{results: all, dir: dir}, Groups(all)
}

func mustNameTheFile(t *testing.T, err error, path string) {
	if err != nil && (!strings.HasPrefix(err.Error(), path) ||
		strings.Contains(strings.TrimSuffix(err.Error(), "\n"), "\n")) {
		t.Errorf("the error is not one line with the name of the file: %q", err)
	}
}

func FuzzReadTimeline(f *testing.F) {
	dir, in, groups := fuzzSample(f)
	whole, err := os.ReadFile(filepath.Join(dir, rundir.TimelineFile))
	if err != nil {
		f.Fatal(err)
	}
	head, _, _ := strings.Cut(string(whole), "\n")
	for _, seed := range []string{string(whole[:2000]), head + "\n", head, "", "run,repetition\n1",
		"\"", head + "\nx,y\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), rundir.TimelineFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		mustNameTheFile(t, in.readTimeline(path, groups), path)
	})
}

func FuzzReadDistributions(f *testing.F) {
	dir, in, groups := fuzzSample(f)
	whole, err := os.ReadFile(filepath.Join(dir, rundir.DistributionsFile))
	if err != nil {
		f.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	tag, _, _ := strings.Cut(lines[1], ",")
	for _, seed := range []string{lines[0] + lines[1] + lines[2], lines[1], lines[1][:90],
		tag + ",0,0,0,HIST\n", tag + "\n", "#\n", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), rundir.DistributionsFile)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		mustNameTheFile(t, in.readDistributions(path, groups), path)
	})
}
