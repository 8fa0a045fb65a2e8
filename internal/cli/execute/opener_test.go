package execute

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/page"
)

// The live view must get the report as a single file, because the server ends and links to other
// pages would break.
func TestOpener(t *testing.T) {
	const run = "BenchmarkRun/strategy=a/workload=w/load=0.5/n=1 100 1 ops/s\n"
	for name, results := range map[string]string{"one": run + "# study x: why?\n",
		"several": run + "# study x: why?\n" + strings.Replace(run, "n=1", "n=2", 1) +
			"# study y: why?\n"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile),
			[]byte("# poolbench results 1\n"+results), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := page.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Write(dir); err != nil {
			t.Fatal(err)
		}
		e := &Execution{Report: filepath.Join(dir, rundir.ReportFile), drawn: r}
		if r.Several() != (name == "several") {
			t.Errorf("%s: several pages: %t", name, r.Several())
		}
		for range 2 {
			file, err := e.reportOpener()()
			if err != nil {
				t.Fatal(err)
			}
			html, err := io.ReadAll(file)
			if err != nil || !strings.Contains(string(html), `<section id="study-x"`) ||
				strings.Contains(string(html), `href="report/`) {
				t.Errorf("%s: %v, %d bytes", name, err, len(html))
			}
			if err := file.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if (&Execution{}).reportOpener() != nil {
		t.Error("without a report one is opened")
	}
}
