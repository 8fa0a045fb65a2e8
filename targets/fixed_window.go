package targets

import (
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "fixed_window",
	Summary: "limits the calls in fixed windows of time: around a boundary, up to twice the " +
		"limit is admitted",
	Source:     "the counter of many public APIs: GitHub per hour, Redis INCR with EXPIRE",
	RateLimits: true,
	Rate:       windowRate,
	Counts:     counters(),
	Keys:       windowKeys("100", "1s"),
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewFixedWindow(v.Int("limit"), v.Duration("window")))
	},
})

// A FixedWindow is a Policy that admits the first limit calls of each of its consecutive windows.
// Calls at the end of one window and the start of the next can reach twice the limit.
type FixedWindow struct {
	limit  int
	window time.Duration
	index  time.Duration // of the current window
	count  int           // calls admitted in the current window
}

// NewFixedWindow admits limit calls, at least 1, in each window.
func NewFixedWindow(limit int, window time.Duration) (*FixedWindow, error) {
	if err := checkWindow(limit, window); err != nil {
		return nil, err
	}
	return &FixedWindow{limit: limit, window: window}, nil
}

// Admit implements Policy.
func (w *FixedWindow) Admit(now time.Duration) Decision {
	if index := now / w.window; index != w.index {
		w.index, w.count = index, 0
	}
	if w.count == w.limit {
		return Decision{RetryAfter: w.window - now%w.window}
	}
	w.count++
	return Decision{Admitted: true}
}

// Quota implements Policy.
func (w *FixedWindow) Quota(now time.Duration) Quota {
	q := Quota{Limit: w.limit, Window: w.window, Remaining: w.limit}
	if now/w.window == w.index && w.count > 0 {
		q.Remaining -= w.count
		q.Reset = w.window - now%w.window
	}
	return q
}
