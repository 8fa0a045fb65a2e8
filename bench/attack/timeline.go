package attack

import (
	"time"

	"github.com/poolbench/poolbench/bench"
)

// The timeline of an attack, whose end nobody knows, begins with short intervals; when there are too many, every two become one.
const (
	mostIntervals = 200
	firstInterval = int64(10 * time.Millisecond)
)

// A timeline counts what happened in each stretch of time.
type timeline struct {
	length int64
	counts []bench.Interval
	never  []int // ends of requests that were never started, in each interval
}

func newTimeline() *timeline {
	return &timeline{length: firstInterval}
}

// at returns the index of the interval of that instant.
func (t *timeline) at(instant int64) int {
	for instant/t.length >= mostIntervals {
		t.halve()
	}
	i := int(max(instant, 0) / t.length)
	for len(t.counts) <= i {
		t.counts = append(t.counts, bench.Interval{})
		t.never = append(t.never, 0)
	}
	return i
}

// halve makes one interval of every two.
func (t *timeline) halve() {
	t.length *= 2
	n := (len(t.counts) + 1) / 2
	for i := range n {
		sum, never := t.counts[2*i], t.never[2*i]
		if 2*i+1 < len(t.counts) {
			v := t.counts[2*i+1]
			sum.Arrived += v.Arrived
			sum.Started += v.Started
			sum.Completed += v.Completed
			sum.Failed += v.Failed
			sum.Throttled += v.Throttled
			sum.Shed += v.Shed
			sum.Abandoned += v.Abandoned
			never += t.never[2*i+1]
		}
		t.counts[i], t.never[i] = sum, never
	}
	t.counts, t.never = t.counts[:n], t.never[:n]
}

func (t *timeline) add(s sample) {
	last := t.at(s.end) // the latest first: it settles the length
	t.counts[t.at(s.due)].Arrived++
	if s.attempts > 0 {
		t.counts[t.at(s.start)].Started++
	} else {
		t.never[last]++
	}
	switch v := &t.counts[last]; s.outcome {
	case completed:
		v.Completed++
	case failed:
		v.Failed++
	case throttled:
		v.Throttled++
	case shed:
		v.Shed++
	case abandoned:
		v.Abandoned++
	}
}

// intervals returns them with the levels at their ends, which follow from the counts.
func (t *timeline) intervals() []bench.Interval {
	var arrived, started, ended, never int
	for i := range t.counts {
		v := &t.counts[i]
		v.Start, v.Length = time.Duration(int64(i)*t.length), time.Duration(t.length)
		arrived += v.Arrived
		started += v.Started
		ended += v.Completed + v.Failed + v.Throttled + v.Shed + v.Abandoned
		never += t.never[i]
		v.InFlight = started - (ended - never)
		v.Queued = arrived - started - never
	}
	return t.counts
}
