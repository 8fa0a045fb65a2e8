package bench

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"strconv"
	"time"
)

// timelineHeader names the columns of timeline.csv. Times are in seconds; levels are those at the end of the interval.
var timelineHeader = []string{"run", "repetition", "start-sec", "interval-sec", "arrived", "started", "completed", "failed", "throttled", "shed", "abandoned", "in-flight", "queued"}

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
	if err := w.csv.Write(timelineHeader); err != nil {
		return nil, err
	}
	return w, w.flush()
}

func (w *timelineWriter) write(r *Result, repetition int) error {
	for _, v := range r.Timeline {
		row := []string{r.Name, strconv.Itoa(repetition), seconds(v.Start), seconds(v.Length)}
		for _, n := range []int{v.Arrived, v.Started, v.Completed, v.Failed, v.Throttled, v.Shed, v.Abandoned, v.InFlight, v.Queued} {
			row = append(row, strconv.Itoa(n))
		}
		if err := w.csv.Write(row); err != nil {
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

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) }
