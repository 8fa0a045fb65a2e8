package targets

import (
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/metric"
)

// Counted is implemented by targets that count their decisions.
type Counted interface {
	// Counts returns the counts in the order of Spec.Counts. It is safe for concurrent use. The
	// values are not one atomic snapshot.
	Counts() []Count
}

// A Count is one counter of a target, such as its bans.
type Count struct {
	Name  string // words and hyphens, usable as a benchmark unit: banned-calls
	Value int64  // never decreases
}

// A Counter documents a Count. Its name has the same meaning for every target.
type Counter struct {
	Name   string
	Better string // "lower", or "" if neither direction is better
	Doc    string // one line
}

// Each completed call counts in one of the first three.
var (
	admittedCalls = Counter{metric.AdmittedCalls, "",
		"calls that the target admitted"}
	refusedCalls = Counter{metric.RefusedCalls, "lower",
		"calls (attempts) that the target refused; throttled/op counts tasks instead"}
	abandonedCalls = Counter{metric.AbandonedCalls, "lower",
		"calls whose client gave up before the target admitted them"}

	delayedCalls = Counter{metric.DelayedCalls, "lower", "calls that had to wait at the target"}
	failedCalls  = Counter{metric.FailedCalls, "lower", "admitted calls that the target let fail"}
)

func counters(more ...Counter) []Counter {
	return append([]Counter{admittedCalls, refusedCalls, abandonedCalls}, more...)
}

type calls struct{ admitted, refused, abandoned atomic.Int64 }

// gone counts a call whose client gave up, if err is not nil, and returns err.
func (c *calls) gone(err error) error {
	if err != nil {
		c.abandoned.Add(1)
	}
	return err
}

func (c *calls) Counts() []Count { return c.counts() }

type delaying struct {
	calls
	delayed atomic.Int64
}

func (d *delaying) Counts() []Count {
	return d.counts(Count{delayedCalls.Name, d.delayed.Load()})
}

func (c *calls) counts(more ...Count) []Count {
	return append([]Count{
		{admittedCalls.Name, c.admitted.Load()},
		{refusedCalls.Name, c.refused.Load()},
		{abandonedCalls.Name, c.abandoned.Load()},
	}, more...)
}
