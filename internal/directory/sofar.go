package directory

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
)

// WriteSoFar writes the interim result of an unfinished run, replacing the last one: readers take
// it for a SUSPECT result. It may be called while others call Write.
func (d *Dir) WriteSoFar(r *bench.Result) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		return nil
	}
	if i := indexOf(d.unfinished, runID{r.Name, r.Seed}); i >= 0 {
		d.unfinished[i] = r
	} else {
		d.unfinished = append(d.unfinished, r)
	}
	tails, err := d.tails()
	if err != nil {
		return err
	}
	// after an error what was there is there still, and the result of the run may come through
	return d.replace([len(dirFiles)][]byte{}, tails)
}

// indexOf finds a run among results; -1 where it is not there.
func indexOf(all []*bench.Result, id runID) int {
	return slices.IndexFunc(all, func(r *bench.Result) bool { return runID{r.Name, r.Seed} == id })
}

// drop takes a run out of those that are not over, and returns what was known of it; nil where that
// is nothing.
func (d *Dir) drop(id runID) (r *bench.Result) {
	if i := indexOf(d.unfinished, id); i >= 0 {
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
	if err := d.put(d.results.format, r, repetition); err != nil {
		return err
	}
	more := d.take()
	if slices.ContainsFunc(d.files, func(f *dirFile) bool { return len(f.tail) > 0 }) {
		err := d.replace(more, tails)
		d.failed = d.failed || err != nil
		return err
	}
	// The line in results.txt comes last: a result that a reader finds there has what
	// the other files say of it.
	outputs := d.outputs()
	for i := range outputs {
		i = (i + 1) % len(outputs)
		if _, err := outputs[i].to.Write(more[i]); err != nil {
			return d.wrote(dirFiles[i], err)
		}
	}
	return nil
}

// tails are what the files end in: the runs that are not over, behind the results that stay.
func (d *Dir) tails() (tails [len(dirFiles)][]byte, err error) {
	// What it writes is going to be replaced: another format, and what is said once is said again.
	var text bytes.Buffer
	format := benchfmt.NewWriter(&text)
	said := maps.Clone(d.results.parts)
	more := map[string]int{}
	var errs []error
	for _, r := range d.unfinished {
		errs = append(errs, d.put(format, r, d.repetitions[r.Name]+more[r.Name]))
		text.WriteTo(&d.results.buffer)
		more[r.Name]++
	}
	d.results.parts = said
	return d.take(), errors.Join(errs...)
}

// put writes a result into the buffers, that of results.txt by the format.
func (d *Dir) put(format *benchfmt.Writer, r *bench.Result, repetition int) error {
	d.distributions.put(r, repetition)
	return errors.Join(d.results.put(format, r),
		d.timeline.csv.WriteAll(timelineRows(r, repetition)),
		d.slowest.csv.WriteAll(slowestRows(r, repetition)))
}

// take is what is in the buffers, which are empty then.
func (d *Dir) take() (text [len(dirFiles)][]byte) {
	for i, o := range d.outputs() {
		text[i] = bytes.Clone(o.buffer.Bytes())
		o.buffer.Reset()
	}
	return text
}

func (d *Dir) outputs() []*output {
	return []*output{&d.results.output, &d.distributions.output, &d.timeline.output,
		&d.slowest.output}
}
