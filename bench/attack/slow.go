package attack

import (
	"cmp"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// A Slow is one of the slowest requests. Times are since the start of the attack.
type Slow struct {
	Trace    string `json:",omitempty"` // id; "": it carried none
	URL      string `json:",omitempty"` // or step; "": the attack has only one
	Due, End time.Duration
}

// Response returns the time from due to the end.
func (s Slow) Response() time.Duration { return s.End - s.Due }

// maxSlow is the number of slowest tasks of a result.
const maxSlow = 50

// slowest contains at most maxSlow requests, the slowest first.
type slowest []Slow

func (all slowest) qualifies(response time.Duration) bool {
	n := len(all)
	return n < maxSlow || response > all[n-1].Response()
}

func (all slowest) insert(more ...Slow) slowest {
	all = append(all, more...)
	slices.SortStableFunc(all, func(a, b Slow) int { return cmp.Compare(b.Response(), a.Response()) })
	return all[:min(len(all), maxSlow)]
}

// label matches requests by their times, because clients and agents share the numbers.
func (all slowest) label(res *bench.Result) {
	type instants struct{ due, end time.Duration }
	of := map[instants]Slow{}
	for _, s := range all {
		of[instants{s.Due, s.End}] = s
	}
	for i := range res.Slowest {
		t := &res.Slowest[i]
		s := of[instants{t.Due, t.End}]
		t.Trace, t.URL = cmp.Or(t.Trace, s.Trace), cmp.Or(t.URL, s.URL)
	}
}
