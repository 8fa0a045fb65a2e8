// Package directory writes the results of runs to a run directory, reads them, and resumes an
// interrupted directory. Create a Dir, Write each result, and Close the Dir.
package directory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/rundir"
)

var dirFiles = [...]string{rundir.ResultsFile, rundir.DistributionsFile, rundir.TimelineFile,
	rundir.SlowestFile}

// Only this process writes to a Dir. Write returns after it has passed a result to the operating
// system, so a kill loses at most the current run, or the time of a soak after the last WriteSoFar.
// Until End has written the end mark, readers treat the directory as partial.
type Dir struct {
	path          string
	mu            sync.Mutex // partial results are written concurrently with other results
	lock          *files.LockedDir
	written       int
	results       *resultsWriter
	distributions *distributionsWriter
	timeline      *rowsWriter
	slowest       *rowsWriter
	files         []*dirFile
	repetitions   map[string]int  // number of results so far, by name
	unfinished    []*bench.Result // partial results of current runs
	existing      contents        // final content of the directory
	resumed       *resumed        // set only for Resume
	isNew         bool            // whether Create created the directory
	failed        bool            // a write failed, so there must be no end mark
}

func (d *Dir) Path() string { return d.path }

// Write replaces the output of WriteSoFar for that run.
func (d *Dir) Write(r *bench.Result) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drop(runID{r.Name, r.Seed})
	if err := d.writeProfiles(r); err != nil {
		return err
	}
	if err := d.addFinal(r); err != nil {
		return err
	}
	d.written++
	return d.markWritten(runID{r.Name, r.Seed})
}

func (d *Dir) writeProfiles(r *bench.Result) error {
	for _, p := range r.Profiles {
		name := filepath.FromSlash(rundir.ProfileFile(r.Name, r.Seed, p.Kind))
		path := filepath.Join(d.path, name)
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err == nil {
			err = files.Write(path, p.Data)
		}
		if err := d.checkWrite(name, err); err != nil {
			return err
		}
	}
	return nil
}

// Fail keeps the output of WriteSoFar for that run.
func (d *Dir) Fail(name string, seed uint64, reason string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.drop(runID{name, seed}); r != nil {
		if err := d.addFinal(r); err != nil {
			return err
		}
	}
	if err := d.checkWrite(rundir.ResultsFile,
		d.results.line(rundir.Failure{Name: name, Seed: seed, Reason: reason}.Line())); err != nil {
		return err
	}
	return d.markWritten(runID{name, seed})
}

func (d *Dir) checkWrite(file string, err error) error {
	if err == nil {
		return nil
	}
	d.failed = true
	return fmt.Errorf("%s: %w", filepath.Join(d.path, file), err)
}

// Conclude adds a finding for the report.
func (d *Dir) Conclude(f decide.Finding) error {
	return d.checkWrite(rundir.ResultsFile, d.results.conclude(f))
}

// Hold adds an objective's bound, in the unit of the metric, for the report. op is <, <=, > or >=.
func (d *Dir) Hold(unit, op string, bound float64) error {
	return d.checkWrite(rundir.ResultsFile,
		d.results.line(rundir.BoundLine(decide.Bound{Unit: unit, Op: op, Value: bound})))
}

// RecordCommand adds the command line that writes this section, for the report.
func (d *Dir) RecordCommand(line string) error {
	return d.checkWrite(rundir.ResultsFile, d.results.line(rundir.Command.Line(line)))
}

// AddAnswer adds a line for the report, which belongs to no study.
func (d *Dir) AddAnswer(line string) error {
	return d.checkWrite(rundir.ResultsFile, d.results.line(rundir.Answer.Line(line)))
}

// The end mark is complete, or partial if fewer than planned results were written. After an error
// of Write there is none, so readers treat the directory as interrupted. The lock is kept until
// Unlock, so a report contains only results of this process.
func (d *Dir) End(planned int, interrupted error) error {
	if d.files == nil {
		return nil
	}
	var errs []error
	if d.resumed != nil {
		errs = append(errs, d.carryOver())
	}
	for _, r := range slices.Clone(d.unfinished) {
		d.drop(runID{r.Name, r.Seed})
		errs = append(errs, d.addFinal(r))
	}
	end := rundir.End{Runs: d.written, Planned: planned}
	if d.written < planned || interrupted != nil {
		end.Partial, end.Reason = true, "runs failed"
		if interrupted != nil {
			end.Reason = "interrupted"
		}
	}
	if !d.failed {
		errs = append(errs, d.results.line(end.Line()))
	}
	return errors.Join(append(errs, d.closeFiles())...)
}

// Discard removes a new directory without results, so that the next command can use its name. It
// must be called after End.
func (d *Dir) Discard() error {
	if d.written > 0 || !d.isNew {
		return nil
	}
	var errs []error
	for _, name := range dirFiles {
		if err := os.Remove(filepath.Join(d.path, name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, d.Unlock())
	_ = os.Remove(d.path) // fails if others have added files
	return errors.Join(errs...)
}

func (d *Dir) Unlock() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Release()
	d.lock = nil
	return err
}

func (d *Dir) Close(planned int, interrupted error) error {
	return errors.Join(d.End(planned, interrupted), d.Unlock())
}

func (d *Dir) closeFiles() error {
	var errs []error
	for _, f := range d.files {
		errs = append(errs, f.Close())
	}
	d.files = nil
	return errors.Join(errs...)
}

type Mode int

const (
	New    Mode = iota // refuse it
	Force              // replace its results
	Append             // add to its results
	Resume             // continue its plan, see Dir.Begin and Dir.Kept
)

// The error for an existing directory is fs.ErrExist.
func Create(path string, mode Mode) (*Dir, error) {
	if err := checkRunDir(path, mode); err != nil {
		return nil, err
	}
	_, before := os.Stat(path)
	if err := files.MakeDir(path); err != nil {
		return nil, err
	}
	held, err := files.LockDir(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path, lock: held, repetitions: map[string]int{},
		isNew: errors.Is(before, fs.ErrNotExist)}
	if err := d.fill(mode); err != nil {
		return nil, errors.Join(err, d.closeFiles(), d.Unlock())
	}
	return d, nil
}

func checkRunDir(path string, mode Mode) error {
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A process that was killed early may have left only its lock, or the files of an empty
	// resumption.
	foreign := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name, isBeside := strings.CutSuffix(e.Name(), newSuffix)
		return e.Name() != files.LockName && !(isBeside && slices.Contains(dirFiles[:], name))
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

type existsError string

func (e existsError) Error() string {
	return string(e) + " exists already: force replaces it, append adds to it, resume continues " +
		"it"
}

func (e existsError) Is(target error) bool { return target == fs.ErrExist }

// The directory must be locked.
func (d *Dir) fill(mode Mode) (err error) {
	_, notThere := os.Stat(filepath.Join(d.path, rundir.ResultsFile))
	if notThere == nil && mode == New {
		return existsError(d.path)
	}
	if err := d.catchUp(); err != nil {
		return err
	}
	// left by a process that was killed before it completed a replacement
	for _, name := range dirFiles {
		for _, ending := range []string{newSuffix, nextSuffix, newSuffix + nextSuffix} {
			if err := os.Remove(filepath.Join(d.path, name+ending)); err != nil &&
				!errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if mode == New || mode == Force {
		// Remove the report of an older run, but no other files.
		if err := files.Remove(filepath.Join(d.path, rundir.ReportFile)); err != nil {
			return err
		}
		for _, name := range []string{rundir.PagesDir, rundir.ChartsDir,
			rundir.ProfilesDir, rundir.PercentilesDir} {
			inside := filepath.Join(d.path, name)
			if info, err := os.Lstat(inside); err == nil && info.IsDir() {
				if err := os.RemoveAll(inside); err != nil {
					return err
				}
			}
		}
		return d.open("", func(f *os.File, _ int64) error { return f.Truncate(0) })
	}
	if d.existing, err = readContents(d.path, mode == Resume); err != nil {
		return err
	}
	d.repetitions = d.existing.repetitions
	if mode == Append {
		return d.open("", (*os.File).Truncate)
	}
	d.resumed = newResumed(d.existing.last)
	return d.open(newSuffix, d.copyHead)
}

// whole is the number of valid bytes at the start of the file.
func (d *Dir) open(ending string, start func(f *os.File, whole int64) error) error {
	for i, name := range dirFiles {
		f, err := openDirFile(filepath.Join(d.path, name+ending))
		if err != nil {
			return err
		}
		d.files = append(d.files, f)
		if err := start(f.File, d.existing.whole[i]); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		info, err := f.Stat()
		if err != nil {
			return err
		}
		f.good = info.Size()
	}
	var err error
	if d.results, err = newResultsWriter(d.files[0]); err != nil {
		return err
	}
	if d.distributions, err = newDistributionsWriter(d.files[1]); err != nil {
		return err
	}
	d.distributions.tasks = d.existing.tasks
	if d.timeline, err = newRowsWriter(d.files[2], rundir.TimelineColumns); err != nil {
		return err
	}
	d.slowest, err = newRowsWriter(d.files[3], rundir.SlowestColumns)
	return err
}

func (d *Dir) Explain(why func(*bench.Result) []string) { d.results.why = why }

// KeepResponses records the response time of each task, for the first virtual runs with at most the
// given number of tasks in total.
func (d *Dir) KeepResponses(tasks int) { d.distributions.most = tasks }

func (d *Dir) copyHead(f *os.File, whole int64) error {
	if whole == 0 {
		return nil
	}
	old, err := os.Open(f.Name()[:len(f.Name())-len(newSuffix)])
	if err != nil {
		return err
	}
	defer old.Close()
	_, err = io.CopyN(f, old, whole)
	return err
}
