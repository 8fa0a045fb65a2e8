package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A distributionsWriter writes distributions.hlog: an HdrHistogram log (version 1.3, which knows tags) with one histogram for
// each run and reading, in nanoseconds. A tag is NAME#REPETITION:READING; a comma, which a tag may not hold, is a semicolon in it.
type distributionsWriter struct {
	to     io.Writer
	buffer bytes.Buffer
	log    *hdrhistogram.HistogramLogWriter
}

func newDistributionsWriter(to *os.File) (*distributionsWriter, error) {
	w := &distributionsWriter{to: to}
	w.log = hdrhistogram.NewHistogramLogWriter(&w.buffer)
	info, err := to.Stat()
	if err != nil || info.Size() > 0 {
		return w, err // appending: the head is there
	}
	if err := w.log.OutputLogFormatVersion(); err != nil {
		return nil, err
	}
	if err := w.log.OutputComment("[values are nanoseconds]\n"); err != nil {
		return nil, err
	}
	if err := w.log.OutputLegend(); err != nil {
		return nil, err
	}
	return w, w.flush()
}

func (w *distributionsWriter) write(r *Result, repetition int) error {
	for _, reading := range r.Readings {
		h, err := hdrhistogram.Decode([]byte(reading.Histogram))
		if err != nil {
			return err
		}
		h.SetTag(fmt.Sprintf("%s#%d:%s", strings.ReplaceAll(r.Name, ",", ";"), repetition, reading.Of))
		if err := w.log.OutputIntervalHistogram(h); err != nil {
			return err
		}
	}
	return w.flush()
}

func (w *distributionsWriter) flush() error {
	_, err := w.to.Write(w.buffer.Bytes())
	w.buffer.Reset()
	return err
}
