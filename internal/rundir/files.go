// Package rundir defines the formats of a run directory: file names, marks and columns for its
// writers and readers.
package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/text"
)

// The first four files contain the runs.
const (
	ResultsFile       = "results.txt"
	DistributionsFile = "distributions.hlog" // one tagged histogram per run and reading
	TimelineFile      = "timeline.csv"       // counts per run and interval
	SlowestFile       = "slowest.csv"        // the slowest tasks of each run
	FailuresFile      = "failures.json"      // failures of attacks with examples of answers
	ReportFile        = "report.html"
	PagesDir          = "report"      // one page per question, for a report with several questions
	ProfilesDir       = "profiles"    // profiles of runs, see ProfileFile
	PercentilesDir    = "percentiles" // percentiles of attacks, see PercentilesFile
	ChartsDir         = "charts"      // each chart of the report as NAME.svg and NAME.png
)

const MaxBytes = 1 << 30

const MaxLine = 16 << 20

// PathError returns err with the path instead of the failed system call.
func PathError(path string, err error) error { return files.Named(path, err) }

func ResultsIn(dir string) (path string, err error) {
	path = filepath.Join(dir, ResultsFile)
	switch info, err := os.Stat(dir); {
	case err != nil:
		return "", PathError(dir, err)
	case !info.IsDir():
		return "", fmt.Errorf("%s: a file, want the directory of a run", dir)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil // opening the file reports other errors
	}
	in := ""
	if runs, _ := filepath.Glob(filepath.Join(dir, "*", ResultsFile)); runs != nil {
		in = "; it contains runs: " + text.Abbreviate(text.Texts(runs, filepath.Dir))
	}
	return "", fmt.Errorf("%s: no %s in it: not the directory of a run%s", dir, ResultsFile, in)
}

const pngHead = "\x89PNG\r\n"

// Replace writes a file atomically. It escapes control characters in every file except a PNG.
func Replace(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data := content.Bytes()
	if !bytes.HasPrefix(data, []byte(pngHead)) {
		data = []byte(text.Plain(content.String()))
	}
	return files.Write(path, data)
}
