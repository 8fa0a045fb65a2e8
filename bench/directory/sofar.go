package directory

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/files/rundir"
)

// WriteSoFar writes what a run that is not over has so far, in place of what it had before: readers
// take it for a result that is suspect. It may be called while others call Write.
func (d *Dir) WriteSoFar(r *bench.Result) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		return nil
	}
	if i := d.indexOf(runID{r.Name, r.Seed}); i >= 0 {
		d.unfinished[i] = r
	} else {
		d.unfinished = append(d.unfinished, r)
	}
	tails, err := d.tails()
	if err != nil {
		return err
	}
	for i, name := range slices.Backward(dirFiles[:]) { // the results last, as in keep
		d.files[i].tail = tails[i]
		if err := d.files[i].replace(nil); err != nil {
			// what was there is there still, and the result of the run may come through
			return fmt.Errorf("%s: %w", filepath.Join(d.path, name), err)
		}
	}
	return nil
}

// indexOf finds the run among those that are not over; -1 where it is not there.
func (d *Dir) indexOf(id runID) int {
	return slices.IndexFunc(d.unfinished, func(r *bench.Result) bool {
		return runID{r.Name, r.Seed} == id
	})
}

// drop takes a run out of those that are not over, and returns what was known of it; nil where that
// is nothing.
func (d *Dir) drop(id runID) (r *bench.Result) {
	if i := d.indexOf(id); i >= 0 {
		r = d.unfinished[i]
		d.unfinished = slices.Delete(d.unfinished, i, i+1)
	}
	return r
}

// keep adds a result for good to the files.
func (d *Dir) keep(r *bench.Result) error {
	repetition := d.repetitions[r.Name]
	d.repetitions[r.Name]++
	tails, err := d.tails()
	if err != nil {
		return err
	}
	for i, tail := range tails {
		d.files[i].tail = tail
	}
	// The line in results.txt comes last: a result that a reader finds there has what
	// the other files say of it.
	if err := d.wrote(rundir.DistributionsFile, d.distributions.write(r, repetition)); err != nil {
		return err
	}
	if err := d.wrote(rundir.TimelineFile,
		d.timeline.write(timelineRows(r, repetition))); err != nil {
		return err
	}
	if err := d.wrote(rundir.SlowestFile,
		d.slowest.write(slowestRows(r, repetition))); err != nil {
		return err
	}
	return d.wrote(rundir.ResultsFile, d.results.write(r))
}

// tails are what the files end in: the runs that are not over, behind the results that stay.
func (d *Dir) tails() (tails [len(dirFiles)][]byte, err error) {
	// one of its own, since what it writes is going to be replaced
	var text bytes.Buffer
	format := benchfmt.NewWriter(&text)
	more := map[string]int{}
	var errs []error
	for _, r := range d.unfinished {
		repetition := d.repetitions[r.Name] + more[r.Name]
		more[r.Name]++
		errs = append(errs, d.results.put(format, r))
		text.WriteTo(&d.results.buffer)
		d.distributions.put(r, repetition)
		errs = append(errs, d.timeline.csv.WriteAll(timelineRows(r, repetition)),
			d.slowest.csv.WriteAll(slowestRows(r, repetition)))
	}
	for i, o := range []*output{&d.results.output, &d.distributions.output, &d.timeline.output,
		&d.slowest.output} {
		tails[i] = o.take()
	}
	return tails, errors.Join(errs...)
}
