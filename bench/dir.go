package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/lock"
	"github.com/poolbench/poolbench/internal/rundir"
)

// dirFiles are those that bench writes.
var dirFiles = []string{rundir.ResultsFile, rundir.DistributionsFile, rundir.TimelineFile}

// A Dir is a run directory that is being written, by this process alone. Every result is on its way
// to the disk before Write returns, so a kill loses at most the run in flight; until End has
// written the end mark, a reader takes the directory for partial.
type Dir struct {
	path          string
	lock          *lock.Dir
	written       int
	results       *resultsWriter
	distributions *distributionsWriter
	timeline      *timelineWriter
	files         []*os.File
	repetitions   map[string]int // results so far, by name
	there         contents       // what the directory holds for good
	resumed       *resumed       // nil but for Resume
	failed        bool           // a write went wrong: no end mark may say that all is well
}

// Path is where the directory is.
func (d *Dir) Path() string { return d.path }

// Write adds one result to the three files.
func (d *Dir) Write(r *Result) error {
	repetition := d.repetitions[r.Name]
	d.repetitions[r.Name]++
	// The line in results.txt comes last: a result that a reader finds there has its distributions
	// and its timeline.
	if err := d.wrote(rundir.DistributionsFile, d.distributions.write(r, repetition)); err != nil {
		return err
	}
	if err := d.wrote(rundir.TimelineFile, d.timeline.write(r, repetition)); err != nil {
		return err
	}
	if err := d.wrote(rundir.ResultsFile, d.results.write(r)); err != nil {
		return err
	}
	d.written++
	return d.settle(runID{r.Name, r.Seed})
}

// Fail adds a run that gave no result, and why: a line for readers, # failed NAME seed N: REASON.
func (d *Dir) Fail(name string, seed uint64, reason string) error {
	if err := d.wrote(rundir.ResultsFile,
		d.results.line(rundir.Failure{Name: name, Seed: seed, Reason: reason}.Line())); err != nil {
		return err
	}
	return d.settle(runID{name, seed})
}

// wrote names the file in the error of a write, and remembers that there was one.
func (d *Dir) wrote(file string, err error) error {
	if err == nil {
		return nil
	}
	d.failed = true
	return fmt.Errorf("%s: %w", filepath.Join(d.path, file), err)
}

// Conclude adds what the results so far say in words, for the report to show.
func (d *Dir) Conclude(f finding.Finding) error {
	return d.wrote(rundir.ResultsFile, d.results.conclude(f))
}

// End ends the results with a mark: complete, or partial when fewer than the planned results were
// written; interrupted is the reason, nil where there is none. After an error of Write the mark is
// left out, and a reader takes the directory for cut off. Until Unlock nobody else may write to the
// directory: a report is to be of what this process has written.
func (d *Dir) End(planned int, interrupted error) error {
	if d.files == nil {
		return nil
	}
	var errs []error
	if d.resumed != nil {
		errs = append(errs, d.carryOver())
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

// Unlock lets others write to the directory.
func (d *Dir) Unlock() error {
	if d.lock == nil {
		return nil
	}
	err := d.lock.Release()
	d.lock = nil
	return err
}

// Close is End and Unlock.
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
