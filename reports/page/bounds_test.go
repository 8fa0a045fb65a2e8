package page

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

func TestBoundsInCharts(t *testing.T) {
	for _, loads := range [][]float64{{0.5, 0.8}, {0.5}} {
		var scenarios []sampleScenario
		for _, load := range loads {
			scenarios = append(scenarios, sampleScenario{workload: "exponential",
				arrival: "poisson", c2: 1, limit: 4, load: load, clock: "virtual", n: 2000,
				reps: 1})
		}
		files := sampleFiles(scenarios)
		files[rundir.ResultsFile] = []byte(strings.ReplaceAll(string(files[rundir.ResultsFile]),
			"/limit=4/", "/limit=4/deadline=200ms/"))
		files[rundir.ResultsFile] = bytes.Replace(files[rundir.ResultsFile], []byte("\nUnit "),
			[]byte("\n"+rundir.BoundLine(decide.Bound{
				Unit: "p99-response-sec", Op: "<", Value: 0.07})+
				"\nUnit "), 1)
		dir := resultstest.Files(t, files)
		if err := Write(dir); err != nil {
			t.Fatal(err)
		}
		paths, err := filepath.Glob(filepath.Join(dir, rundir.ChartsDir, "r*.svg"))
		if err != nil || !slices.ContainsFunc(paths, func(path string) bool {
			text, err := os.ReadFile(path)
			return err == nil && strings.Contains(string(text), "deadline 200") &&
				strings.Contains(string(text), "objective 70")
		}) {
			t.Errorf("loads %v: no line in %v, %v", loads, paths, err)
		}
	}
}
