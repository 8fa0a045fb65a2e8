package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
)

// Mode says what CreateDir does about a directory that is there already.
type Mode int

// The modes of CreateDir.
const (
	New    Mode = iota // refuse it
	Force              // replace its results
	Append             // add to its results
	Resume             // go on with the plan that it was begun with: see Dir.Begin and Dir.Kept
)

// CreateDir makes the directory at path, with its parents, ready for results. The error for one
// that exists is fs.ErrExist; for one that another process writes to it says which.
func CreateDir(path string, mode Mode) (*Dir, error) {
	if err := ours(path, mode); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, err
	}
	held, err := lock.Take(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path, lock: held, repetitions: map[string]int{}}
	err = d.fill(mode)
	if err != nil {
		return nil, errors.Join(err, d.closeFiles(), d.Unlock())
	}
	return d, nil
}

// ours refuses what is no run directory, and leaves nothing in it.
func ours(path string, mode Mode) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A process that was killed at its very beginning may have left its lock alone, or the files of
	// a resumption of nothing.
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name, isBeside := strings.CutSuffix(e.Name(), beside)
		return e.Name() != lock.FileName && !(isBeside && slices.Contains(dirFiles, name))
	})
	if _, err := os.Stat(filepath.Join(path, rundir.ResultsFile)); !foreign || err == nil {
		return nil
	}
	if mode == New {
		return existsError(path)
	}
	return fmt.Errorf("%s exists and is not a run directory (it has no %s)", path,
		rundir.ResultsFile)
}

// existsError is about the directory at that path.
type existsError string

func (e existsError) Error() string {
	return string(e) + " exists already: force replaces it, append adds to it, resume goes on " +
		"with it"
}

func (e existsError) Is(target error) bool { return target == fs.ErrExist }

// fill opens the files, once nobody else can.
func (d *Dir) fill(mode Mode) (err error) {
	_, notThere := os.Stat(filepath.Join(d.path, rundir.ResultsFile))
	if notThere == nil && mode == New {
		return existsError(d.path)
	}
	for _, name := range dirFiles { // of a resumption that was killed before it had caught up
		if err := os.Remove(filepath.Join(d.path, name+beside)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	switch {
	case mode == New, mode == Force:
		if err := d.removeReport(); err != nil {
			return err
		}
		return d.open("", func(f *os.File, _ int64) error { return f.Truncate(0) })
	case mode == Append:
		if d.there, err = readContents(d.path, false); err != nil {
			return err
		}
		d.repetitions = d.there.repetitions
		return d.open("", (*os.File).Truncate)
	}
	if d.there, err = readContents(d.path, true); err != nil {
		return err
	}
	d.repetitions = d.there.repetitions
	d.resumed = newResumed(d.there.last)
	return d.open(beside, d.copyHead)
}

// removeReport takes an older run's report away, so that it is not taken for the new run's. What is
// not ours stays.
func (d *Dir) removeReport() error {
	for _, name := range []string{rundir.ReportFile, rundir.ChartsDir} {
		if err := os.RemoveAll(filepath.Join(d.path, name)); err != nil {
			return err
		}
	}
	return nil
}

// open opens the files under their names with that ending. start makes of each what is to be in it,
// of which so many bytes are there.
func (d *Dir) open(ending string, start func(f *os.File, whole int64) error) error {
	for i, name := range dirFiles {
		f, err := os.OpenFile(filepath.Join(d.path, name+ending), os.O_CREATE|os.O_RDWR|os.O_APPEND,
			0o666)
		if err != nil {
			return err
		}
		d.files = append(d.files, f)
		if err := start(f, d.there.whole[i]); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	var err error
	if d.results, err = newResultsWriter(d.files[0]); err != nil {
		return err
	}
	if d.distributions, err = newDistributionsWriter(d.files[1]); err != nil {
		return err
	}
	d.timeline, err = newTimelineWriter(d.files[2])
	return err
}

// copyHead copies what stays as it is to the file that is going to replace the old one.
func (d *Dir) copyHead(f *os.File, whole int64) error {
	if whole == 0 {
		return nil
	}
	old, err := os.Open(f.Name()[:len(f.Name())-len(beside)])
	if err != nil {
		return err
	}
	defer old.Close()
	_, err = io.CopyN(f, old, whole)
	return err
}
