package targets

import (
	"fmt"
	"sort"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "sliding_window",
	Summary: "serves a fixed number of calls in any window of time, with an exact log and " +
		"without a burst at a boundary",
	Source:     "the sliding window log, as with a Redis sorted set",
	RateLimits: true,
	Rate:       windowRate,
	Counts:     counters(),
	Keys:       windowKeys("100", "1s"),
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewSlidingWindow(v.Int("limit"), v.Duration("window")))
	},
})

// maxLog is the longest log of admitted calls, 80 MB.
const maxLog = 10_000_000

// A SlidingWindow is a Policy that admits a call if fewer than limit were admitted in the window
// that ends with the call. It stores the times of the last limit admissions, 8 bytes each.
type SlidingWindow struct {
	limit  int
	window time.Duration
	log    []time.Duration // times of the last admissions; a ring buffer once it has limit entries
	oldest int             // index of the oldest entry, which is overwritten next
}

// NewSlidingWindow admits limit calls, from 1 to 10 million, in any window.
func NewSlidingWindow(limit int, window time.Duration) (*SlidingWindow, error) {
	if err := checkWindow(limit, window); err != nil {
		return nil, err
	}
	if limit > maxLog {
		return nil, fmt.Errorf("limit: must be at most %d, since each of the calls is "+
			"remembered, got %d", maxLog, limit)
	}
	return &SlidingWindow{limit: limit, window: window}, nil
}

// Admit implements Policy.
func (w *SlidingWindow) Admit(now time.Duration) Decision {
	if len(w.log) < w.limit {
		w.log = append(w.log, now)
		return Decision{Admitted: true}
	}
	if since := now - w.log[w.oldest]; since < w.window {
		return Decision{RetryAfter: w.window - since}
	}
	w.log[w.oldest] = now
	if w.oldest++; w.oldest == w.limit {
		w.oldest = 0
	}
	return Decision{Admitted: true}
}

// Quota implements Policy by a binary search.
func (w *SlidingWindow) Quota(now time.Duration) Quota {
	at := func(i int) time.Duration { return w.log[(w.oldest+i)%len(w.log)] }
	// admissions before the window
	past := sort.Search(len(w.log), func(i int) bool { return now-at(i) < w.window })
	q := Quota{Limit: w.limit, Window: w.window, Remaining: w.limit - len(w.log) + past}
	if past < len(w.log) {
		q.Reset = w.window - (now - at(past))
	}
	return q
}

func (w *SlidingWindow) reset() { w.log, w.oldest = w.log[:0], 0 }
