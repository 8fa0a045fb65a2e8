package results

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

// MostResults and MostValues limit the results that are read from a file, and the values of metrics
// in them. MostSamples limits the samples of all inputs of a command together: a sample is one
// metric of one benchmark in one input. With two files at these limits compare and gate need up to
// 10 s of CPU and 700 MB.
const (
	MostResults = 150_000
	MostValues  = 400_000
	MostSamples = 80_000
)

// ErrSamples is the error for more than MostSamples.
var ErrSamples = fmt.Errorf("more than %d samples, a sample for each metric of each benchmark in "+
	"each input: choose fewer metrics", MostSamples)

// ReadFile reads a file in the Go benchmark format, or the results of a run when path is its
// directory. See Read for what is refused and what is only warned of.
func ReadFile(path string) (*Results, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, rundir.PathError(path, err)
	}
	if info.IsDir() {
		return ReadDir(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, rundir.PathError(path, err)
	}
	defer f.Close()
	return Read(f, path)
}

// ReadDir reads the results of a run from its directory.
func ReadDir(dir string) (*Results, error) {
	path, err := rundir.ResultsIn(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, rundir.PathError(path, err)
	}
	defer f.Close()
	r, err := Read(f, path)
	if err != nil {
		return nil, err
	}
	r.Dir = dir
	return r, nil
}

// Read reads results in the Go benchmark format; name stands for the text in messages.
//
// It either returns at least one run or an error that names the file and, where there is one, the
// line. Errors are: a text without a result, or empty; a packed file; text that is UTF-16 or holds
// NUL bytes; a line over 64 KiB; more than 150,000 results or 400,000 values; NaN and infinite
// values; Unit lines that contradict each other; a version of poolbench's results other than the
// one it knows; and, in a file that poolbench wrote, a result line that does not parse. In other
// files such a line is left out with a warning, since whatever a benchmark prints can end up in
// one. Further warnings: a metric given twice on a line, an indented result line, a failure
// reported by go test, a last line without a newline.
//
// The output of go test -json is read like that of go test; a package of it that has not ended
// makes the file Partial. CRLF is read like LF. A last line that is cut off is left out and makes
// the file Partial. Configuration lines are taken as benchfmt takes them, log lines that look like
// one included: each run carries those in force, and package compare reports the keys that vary.
func Read(r io.Reader, name string) (*Results, error) {
	p := &parser{out: &Results{Path: name}, reps: make(map[[2]string]int),
		keys: make(map[string][]Pair), metrics: make(map[string]bool),
		virtual: make(map[RunID][]*Run), warn: warnings{seen: make(map[string]*warning)}}
	p.feed = newLineFeed(files.Reader(r, rundir.MostBytes), name, p.look)
	reader := benchfmt.NewReader(p.feed, name)
	for reader.Scan() {
		var err error
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			err = p.result(rec)
		case *benchfmt.SyntaxError:
			err = p.syntax(rec)
		}
		if err != nil {
			return nil, err
		}
	}
	if p.feed.err != nil {
		return nil, p.feed.err
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	return p.finish(reader.Units())
}
