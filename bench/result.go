package bench

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Result is what one run says. It is plain data: it crosses processes as JSON.
type Result struct {
	Name     string // of the scenario, canonical
	Seed     uint64 // that the run used
	Tasks    int    // offered and measured, that is without the warm-up
	Metrics  []Metric
	Readings []Reading  // distributions of response, wait and service
	Timeline []Interval // of the whole run, warm-up included
	Broken   []string   // violated laws, in words with their numbers; none is what is wanted
	Verdict  Verdict    // whether the numbers may be believed
	Reasons  []Reason   // that it is not Valid for, broken laws among them
}

// Metric returns the value in that unit and whether the run has it.
func (r *Result) Metric(unit string) (float64, bool) {
	for _, m := range r.Metrics {
		if m.Unit == unit {
			return m.Value, true
		}
	}
	return 0, false
}

func (r *Result) add(unit string, v float64) { r.Metrics = append(r.Metrics, Metric{unit, v}) }

// A Reading is the distribution of one time over the measured tasks that completed.
type Reading struct {
	Of        string // response, wait or service
	Histogram string // HdrHistogram, V2 compressed, base64: nanoseconds, 3 significant digits
	Max       int64  // nanoseconds, as exact as the histogram
}

func newReading(of string, ns []int64) (Reading, error) {
	highest := int64(time.Hour)
	for _, v := range ns {
		highest = max(highest, v)
	}
	h := hdrhistogram.New(1, highest, 3)
	for _, v := range ns {
		if err := h.RecordValue(v); err != nil {
			return Reading{}, fmt.Errorf("distribution of %s: %w", of, err)
		}
	}
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Reading{}, fmt.Errorf("distribution of %s: %w", of, err)
	}
	return Reading{of, string(text), h.ValueAtQuantile(100)}, nil
}

// An Interval counts what happened in one stretch of a run.
type Interval struct {
	Start, Length                                                   time.Duration
	Arrived, Started, Completed, Failed, Throttled, Shed, Abandoned int
	// at the end of the interval
	InFlight, Queued int
}
