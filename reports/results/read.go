package results

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

// Limits of a file's results and values, and of all inputs' samples: one metric of one benchmark in
// one input. With two files at these limits, compare and gate need up to 10 s of CPU and 700 MB.
const (
	MaxResults = 150_000
	MaxValues  = 400_000
	MaxSamples = 80_000
)

// ErrSamples is the error for more than MaxSamples.
var ErrSamples = fmt.Errorf("more than %d samples, a sample for each metric of each benchmark in "+
	"each input: choose fewer metrics", MaxSamples)

// ReadFile reads results from a file or a run directory, like Read.
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

// ReadDir reads the results of a run directory.
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

// Read reads results in the Go benchmark format, or the output of go test -json. name identifies
// the text in messages.
//
// It returns at least one run, or an error with the file and, if possible, the line. Errors are: no
// result; a compressed file; UTF-16 or NUL bytes; a line over 64 KiB; more than 150,000 results or
// 400,000 values; NaN and infinite values; contradicting Unit lines; an unknown version of
// poolbench's results; and a malformed result line in them. Warnings are: a malformed result line
// of another program, which is skipped; a metric given twice on a line; an indented result line; a
// failure reported by go test; and a last line without a newline.
//
// An incomplete last line is skipped. It makes the file Partial, as does an unfinished package.
// Configuration lines include log lines that look like one.
func Read(r io.Reader, name string) (*Results, error) {
	p := &parser{out: &Results{Path: name}, reps: make(map[[2]string]int),
		keys: make(map[string][]Pair), metrics: make(map[string]bool),
		virtual: make(map[RunID][]*Run), warn: warnings{seen: make(map[string]*warning)}}
	p.feed = newLineFeed(files.Reader(r, rundir.MaxBytes), name, p.checkLine)
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
