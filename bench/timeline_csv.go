package bench

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"

	"github.com/poolbench/poolbench/internal/rundir"
)

// A timelineWriter writes timeline.csv: a row for each run and interval.
type timelineWriter struct {
	to     io.Writer
	buffer bytes.Buffer
	csv    *csv.Writer
}

func newTimelineWriter(to *os.File) (*timelineWriter, error) {
	w := &timelineWriter{to: to}
	w.csv = csv.NewWriter(&w.buffer)
	info, err := to.Stat()
	if err != nil || info.Size() > 0 {
		return w, err // appending: the header is there
	}
	if err := w.csv.Write(rundir.TimelineColumns); err != nil {
		return nil, err
	}
	return w, w.flush()
}

func (w *timelineWriter) write(r *Result, repetition int) error {
	for _, v := range r.Timeline {
		row := rundir.TimelineRow{Run: r.Name, Repetition: repetition,
			Start: v.Start.Seconds(), Length: v.Length.Seconds(), Counts: [...]int{v.Arrived,
				v.Started, v.Completed, v.Failed, v.Throttled, v.Shed, v.Abandoned, v.InFlight,
				v.Queued}}
		if err := w.csv.Write(row.Fields()); err != nil {
			return err
		}
	}
	return w.flush()
}

func (w *timelineWriter) flush() error {
	w.csv.Flush()
	if err := w.csv.Error(); err != nil {
		return err
	}
	_, err := w.to.Write(w.buffer.Bytes())
	w.buffer.Reset()
	return err
}
