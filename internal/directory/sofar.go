package directory

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/bench"
)

// Readers treat the partial result of a current run as SUSPECT. WriteSoFar may be called
// concurrently with Write.
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
	// An error leaves the old content, and the final result of the run may still succeed.
	return d.replace([len(dirFiles)][]byte{}, tails)
}

func indexOf(all []*bench.Result, id runID) int {
	return slices.IndexFunc(all, func(r *bench.Result) bool { return runID{r.Name, r.Seed} == id })
}

func (d *Dir) drop(id runID) (r *bench.Result) {
	if i := indexOf(d.unfinished, id); i >= 0 {
		r = d.unfinished[i]
		d.unfinished = slices.Delete(d.unfinished, i, i+1)
	}
	return r
}

func (d *Dir) addFinal(r *bench.Result) error {
	repetition := d.repetitions[r.Name]
	d.repetitions[r.Name]++
	tails, err := d.tails()
	if err != nil {
		return err
	}
	if err := d.write(d.results.format, r, repetition); err != nil {
		return err
	}
	more := d.takeBuffers()
	if slices.ContainsFunc(d.files, func(f *dirFile) bool { return len(f.tail) > 0 }) {
		err := d.replace(more, tails)
		d.failed = d.failed || err != nil
		return err
	}
	// The line in results.txt is written last, so readers that see it find its data in the other
	// files.
	outputs := d.outputs()
	for i := range outputs {
		i = (i + 1) % len(outputs)
		if _, err := outputs[i].to.Write(more[i]); err != nil {
			return d.checkWrite(dirFiles[i], err)
		}
	}
	return nil
}

func (d *Dir) tails() (tails [len(dirFiles)][]byte, err error) {
	// The output will be replaced, so it has its own formatter and repeats lines that are written
	// once.
	var text bytes.Buffer
	format := benchfmt.NewWriter(&text)
	said := maps.Clone(d.results.parts)
	more := map[string]int{}
	var errs []error
	for _, r := range d.unfinished {
		errs = append(errs, d.write(format, r, d.repetitions[r.Name]+more[r.Name]))
		text.WriteTo(&d.results.buffer)
		more[r.Name]++
	}
	d.results.parts = said
	return d.takeBuffers(), errors.Join(errs...)
}

func (d *Dir) write(format *benchfmt.Writer, r *bench.Result, repetition int) error {
	d.distributions.put(r, repetition)
	return errors.Join(d.results.put(format, r),
		d.timeline.csv.WriteAll(timelineRows(r, repetition)),
		d.slowest.csv.WriteAll(slowestRows(r, repetition)))
}

func (d *Dir) takeBuffers() (text [len(dirFiles)][]byte) {
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
