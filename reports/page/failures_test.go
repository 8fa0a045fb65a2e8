package page

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// If a later run with the same seed succeeded, the failed run is not listed.
func TestFailures(t *testing.T) {
	text := strings.Replace(resultstest.Seeded("1 virtual 3", "2 virtual 4"), "# seed 2",
		"# failed Run/a seed 7: no luck: at <all> | twice\n# failed "+
			"Run/strategy=semaphore/load=0.5/clock=virtual seed 2: once\n# seed 2", 1)
	text = strings.Replace(text, "# complete 2 runs", "# partial 2 of 3 runs: runs failed", 1)
	r := resultstest.Read(t, "x.txt", text)
	want := results.Failure{Name: "Run/a", Seed: 7, Reason: "no luck: at <all> | twice"}
	if len(r.Runs) != 2 || !slices.Equal(r.Failures, []results.Failure{want}) {
		t.Errorf("%d runs, %+v", len(r.Runs), r.Failures)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile), []byte(text),
		0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, rundir.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(page, []byte("These runs failed.")) ||
		!bytes.Contains(page,
			[]byte("<code>Run/a (seed 7)</code>: no luck: at &lt;all&gt; | twice")) {
		t.Error("the page does not name it")
	}
}
