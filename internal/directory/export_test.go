package directory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
)

func Divert(t *testing.T, d *Dir, file, to string) {
	t.Helper()
	f, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	switch filepath.Base(file) {
	case rundir.ResultsFile:
		d.results.to = f
	case rundir.DistributionsFile:
		d.distributions.to = f
	case rundir.TimelineFile:
		d.timeline.to = f
	case rundir.SlowestFile:
		d.slowest.to = f
	}
}
