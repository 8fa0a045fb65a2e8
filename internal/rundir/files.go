// Package rundir owns the formats of the directory of a run, both ends: what writes them and what
// reads them take names, marks and columns from here.
//
// # Size
//
// Its exported names are the format: each file, mark, tag and column has one.
package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/poolbench/poolbench/internal/plain"
)

// The files of a run directory. The first three are those of the run; the others are its report's.
const (
	ResultsFile       = "results.txt"
	DistributionsFile = "distributions.hlog" // a tagged histogram for each run and reading
	TimelineFile      = "timeline.csv"       // counts for each run and interval
	ReportFile        = "report.html"
	ChartsDir         = "charts" // each chart of the report as NAME.svg and NAME.png
)

// MostBytes is the size up to which a file of a run directory is read.
const MostBytes = 1 << 30

// PathError names the path, without the system call that failed.
func PathError(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Replace writes a file under another name and puts it in its place when it is whole. Of a text,
// which is whatever is no PNG, control characters are spelt out.
func Replace(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data := content.Bytes()
	if filepath.Ext(path) != ".png" {
		data = []byte(plain.Text(content.String()))
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return PathError(filepath.Dir(path), err)
	}
	_, err = f.Write(data)
	if chmod := f.Chmod(0o644); err == nil { // CreateTemp made it private
		err = chmod
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%w%s", PathError(path, err), removed(f.Name()))
	}
	return nil
}

// removed removes a file that an error left behind, and says so where even that fails.
func removed(path string) string {
	if err := os.Remove(path); err != nil {
		return fmt.Sprintf(" (and %s stays behind: %v)", path, err)
	}
	return ""
}
