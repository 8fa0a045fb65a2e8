package bench

import (
	"bytes"
	"io"
	"os"

	"github.com/poolbench/poolbench/internal/rundir"
)

// A distributionsWriter writes distributions.hlog: a histogram for each run and reading.
type distributionsWriter struct {
	to     io.Writer
	buffer bytes.Buffer
}

func newDistributionsWriter(to *os.File) (*distributionsWriter, error) {
	w := &distributionsWriter{to: to}
	info, err := to.Stat()
	if err != nil || info.Size() > 0 {
		return w, err // appending: the head is there
	}
	if err := rundir.WriteHistogramHead(&w.buffer); err != nil {
		return nil, err
	}
	return w, w.flush()
}

func (w *distributionsWriter) write(r *Result, repetition int) error {
	for _, reading := range r.Readings {
		rundir.WriteHistogram(&w.buffer, rundir.Tag(r.Name, repetition, reading.Of), reading.Max,
			reading.Histogram)
	}
	return w.flush()
}

func (w *distributionsWriter) flush() error {
	_, err := w.to.Write(w.buffer.Bytes())
	w.buffer.Reset()
	return err
}
