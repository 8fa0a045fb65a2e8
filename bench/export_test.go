package bench

import (
	"os"
	"path/filepath"
	"testing"
)

// Divert makes the directory write one of its files elsewhere.
func Divert(t *testing.T, d *Dir, file, to string) {
	t.Helper()
	f, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	switch filepath.Base(file) {
	case resultsFile:
		d.results.to = f
	case distributionsFile:
		d.distributions.to = f
	case timelineFile:
		d.timeline.to = f
	}
}
