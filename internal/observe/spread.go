package observe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
)

// The length of a window is shortest times a power of two, in exact microseconds for the log of
// histograms.
const (
	shortest  = int64(time.Second) >> 6
	maxSpread = 100
)

// Three significant digits would need ten times the memory.
const (
	spreadDigits  = 2
	longestSpread = int64(4 * 87_600 * time.Hour)
)

// A Spread has one histogram per window, of the completed tasks that were due in it. Windows begin
// with the run and their lengths are powers of two, so the windows of several generators and of the
// parts of a soak can be added.
type Spread struct {
	length int64
	at     int64 // index of the open window
	open   *hdrhistogram.Histogram
	done   []result.Window
	failed error
}

// span is in nanoseconds.
func NewSpread(span int64) Spread {
	s := Spread{length: shortest}
	for span > maxSpread*s.length {
		s.length *= 2
	}
	return s
}

func (s *Spread) Continue(before []result.Window) {
	if n := len(before); n > 0 {
		s.length = int64(before[n-1].Length)
		s.done = before
		s.reopen(int64(before[n-1].Start / before[n-1].Length))
	}
}

// Tasks are added in the order of their due times.
func (s *Spread) Add(r *record.Record) {
	if r.Outcome != record.Completed || s.failed != nil {
		return
	}
	if i := r.Due / s.length; i > s.at || s.open == nil {
		if s.turn(i); s.failed != nil {
			return
		}
	}
	_ = s.open.RecordValue(max(r.Response(), 0))
}

func (s *Spread) turn(i int64) {
	s.done, s.failed = s.Windows()
	for s.failed == nil && i >= maxSpread {
		s.length, i = 2*s.length, i/2
		s.done, s.failed = AddWindows(s.done, time.Duration(s.length))
	}
	if s.failed == nil {
		s.reopen(i)
	}
}

func (s *Spread) reopen(i int64) {
	s.at = i
	if n := len(s.done); n > 0 && int64(s.done[n-1].Start) == i*s.length {
		s.open, s.failed = decoded(s.done[n-1])
		s.done = s.done[:n-1]
	} else if s.open != nil {
		s.open.Reset()
	} else {
		s.open = hdrhistogram.New(1, longestSpread, spreadDigits)
	}
}

func (s *Spread) Windows() ([]result.Window, error) {
	if s.failed != nil || s.open == nil || s.open.TotalCount() == 0 {
		return s.done, s.failed
	}
	w, err := encoded(s.open, s.at*s.length, s.length)
	return append(s.done[:len(s.done):len(s.done)], w), err
}

// Only a recorded run has windows: a comparison of strategies has a hundred runs, whose windows
// would be larger than all other data.
func (o *Run) Windows() ([]result.Window, error) {
	if !o.Recorded {
		return nil, nil
	}
	t := o.Trace
	s := NewSpread(t.At(t.Len() - 1).Due)
	for _, rec := range t.From(0) {
		s.Add(rec)
	}
	return s.Windows()
}

func AddWindows(all []result.Window, length time.Duration) (sums []result.Window, err error) {
	at := func(w result.Window) time.Duration { return w.Start / length }
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b result.Window) int { return cmp.Compare(at(a), at(b)) })
	for len(all) > 0 {
		n := 1
		for n < len(all) && at(all[n]) == at(all[0]) {
			n++
		}
		w := all[0]
		start := int64(at(w) * length)
		if n > 1 {
			sum, err := decoded(w)
			for _, more := range all[1:n] {
				h, wrong := decoded(more)
				if err = cmp.Or(err, wrong); err != nil {
					return nil, err
				}
				if h.HighestTrackableValue() > sum.HighestTrackableValue() {
					sum, h = h, sum
				}
				if sum.Merge(h) > 0 {
					return nil, errors.New("responses over time: some are beyond the end of all")
				}
			}
			if w, err = encoded(sum, start, int64(length)); err != nil {
				return nil, err
			}
		}
		w.Start, w.Length = time.Duration(start), length
		sums, all = append(sums, w), all[n:]
	}
	return sums, nil
}

func encoded(h *hdrhistogram.Histogram, start, length int64) (w result.Window, err error) {
	text, err := record.EncodeHistogram(h)
	if err != nil {
		return w, fmt.Errorf("responses over time: %w", err)
	}
	return result.Window{Start: time.Duration(start), Length: time.Duration(length),
		Histogram: text, Max: record.HistogramMax(h)}, nil
}

func decoded(w result.Window) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode([]byte(w.Histogram))
	if err != nil {
		return nil, fmt.Errorf("responses over time: %w", err)
	}
	return h, nil
}
