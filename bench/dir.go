package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Mode says what CreateDir does about a directory that is there already.
type Mode int

// The modes of CreateDir.
const (
	New    Mode = iota // refuse it
	Force              // replace its results
	Append             // add to its results
)

// The files of a run directory that bench writes. The report adds its own.
const (
	resultsFile       = "results.txt"
	distributionsFile = "distributions.hlog"
	timelineFile      = "timeline.csv"
)

// A Dir is a run directory that is being written. Every result is on its way to the disk before Write returns, so a kill loses at most the run in flight; until
// Close has written the end mark, a reader takes the directory for partial.
type Dir struct {
	path          string
	written       int
	results       *resultsWriter
	distributions *distributionsWriter
	timeline      *timelineWriter
	files         []*os.File
	repetitions   map[string]int // results so far, by name
	failed        bool           // a write went wrong: no end mark may say that all is well
}

// CreateDir makes the directory at path, with its parents, ready for results. The error for one that exists names the ways out.
func CreateDir(path string, mode Mode) (*Dir, error) {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case len(entries) > 0 && mode == New:
		return nil, fmt.Errorf("%s exists already: force replaces it, append adds to it", path)
	case len(entries) > 0 && !isRunDir(path):
		return nil, fmt.Errorf("%s exists and is not a run directory (it has no %s)", path, resultsFile)
	}
	d := &Dir{path: path, repetitions: map[string]int{}}
	if mode == Append {
		if err := d.countRepetitions(); err != nil {
			return nil, err
		}
	} else if err := removeResults(path); err != nil {
		return nil, err
	}
	if err := d.open(); err != nil {
		d.closeFiles()
		return nil, err
	}
	return d, nil
}

func isRunDir(path string) bool {
	_, err := os.Stat(filepath.Join(path, resultsFile))
	return err == nil
}

// removeResults takes an older run's files away, the report's among them, so that none of it is taken for the new run's. What is not ours stays.
func removeResults(path string) error {
	for _, name := range []string{resultsFile, distributionsFile, timelineFile, "report.html", "charts"} {
		if err := os.RemoveAll(filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) open() error {
	var files [3]*os.File
	for i, name := range []string{resultsFile, distributionsFile, timelineFile} {
		f, err := os.OpenFile(filepath.Join(d.path, name), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		d.files = append(d.files, f)
		if err := endLine(f); err != nil {
			return err
		}
		files[i] = f
	}
	var err error
	if d.results, err = newResultsWriter(files[0]); err != nil {
		return err
	}
	if d.distributions, err = newDistributionsWriter(files[1]); err != nil {
		return err
	}
	d.timeline, err = newTimelineWriter(files[2])
	return err
}

// endLine completes a last line that a kill cut off, so that what is appended starts on a line of its own.
func endLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		_, err = f.WriteString("\n")
	}
	return err
}

// countRepetitions finds out how many results of each name are in the directory, so that appended ones go on counting.
func (d *Dir) countRepetitions() error {
	f, err := os.Open(filepath.Join(d.path, resultsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, ok := benchmarkName(lines.Text()); ok {
			d.repetitions[name]++
		}
	}
	return lines.Err()
}

// Path is where the directory is.
func (d *Dir) Path() string { return d.path }

// Write adds one result to the three files.
func (d *Dir) Write(r *Result) error {
	if err := d.write(r); err != nil {
		d.failed = true
		return err
	}
	d.written++
	return nil
}

func (d *Dir) write(r *Result) error {
	repetition := d.repetitions[r.Name]
	d.repetitions[r.Name]++
	// The line in results.txt comes last: a result that a reader finds there has its distributions and its timeline.
	if err := d.distributions.write(r, repetition); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(d.path, distributionsFile), err)
	}
	if err := d.timeline.write(r, repetition); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(d.path, timelineFile), err)
	}
	if err := d.results.write(r); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(d.path, resultsFile), err)
	}
	return nil
}

// A Conclusion is what a question's results say in words, a line each, for the report to show.
type Conclusion struct {
	Study, Question string   // its name, and what it asks
	Claim           string   // what was put to the test
	Verdict         string   // on the claim: holds, does not hold, depends, undecided
	Because         string   // the numbers that decide
	Lines           []string // what else the results say
}

// Conclude adds what the results so far say in words.
func (d *Dir) Conclude(c Conclusion) error {
	if err := d.results.conclude(c); err != nil {
		d.failed = true
		return fmt.Errorf("%s: %w", filepath.Join(d.path, resultsFile), err)
	}
	return nil
}

// Close ends the directory with a mark: complete, or partial when fewer than the planned results were written; interrupted is
// the reason, nil where there is none. After an error of Write the mark is left out, and a reader takes the directory for cut off.
func (d *Dir) Close(planned int, interrupted error) error {
	mark := fmt.Sprintf("complete %d runs", d.written)
	if d.written < planned || interrupted != nil {
		reason := "runs failed"
		if interrupted != nil {
			reason = "interrupted"
		}
		mark = fmt.Sprintf("partial %d of %d runs: %s", d.written, planned, reason)
	}
	var err error
	if !d.failed {
		err = d.results.end(mark)
	}
	return errors.Join(err, d.closeFiles())
}

func (d *Dir) closeFiles() error {
	var errs []error
	for _, f := range d.files {
		errs = append(errs, f.Close())
	}
	d.files = nil
	return errors.Join(errs...)
}
