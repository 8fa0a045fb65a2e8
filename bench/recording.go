package bench

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/witness"
	"github.com/poolbench/poolbench/strategies"
)

// A Recording is a run that another package drives: requests to a server. Its result is computed,
// checked and judged as that of a Scenario under the real clock. Instants are nanoseconds since the
// run began.
type Recording struct {
	Name     string
	Seed     uint64
	Arrival  arrivals.Variant // the plan
	Rate     float64          // of it, per second; 0 where the process settles it
	Duration time.Duration    // of the plan; 0: until its last request
	// what bounded the requests; one without New and Bound: nothing that the package knows of
	Strategy strategies.Variant
	Limit    int           // of the strategy
	Queue    int           // of the strategy
	Records  []Records     // one of an open loop, one of each client of a closed one
	Peak     int64         // most requests in flight at once
	Busy     int64         // time that all attempts took, counted apart from the records
	Twice    int64         // requests that were settled twice
	Resent   int64         // requests that went over the wire again, within one attempt
	Doubts   []Reason      // found by who drives
	seen     *witness.Seen // of the machine; nil: nobody watched it
}

// Watch begins to watch the machine. stop ends that, before Result; base is when the run began.
func (rec *Recording) Watch() (stop func(base time.Time)) {
	w := witness.Start()
	return func(base time.Time) { rec.seen = w.End(base) }
}

// Records are those of the requests that one goroutine sends, in the order of their due times. Only
// that goroutine calls Add.
type Records = log

// NewRecords makes room for so many records, which then stay where they are, so that others may
// call At while one calls Add. A chunk takes memory when it is reached.
func NewRecords(n int) Records {
	return Records{chunks: make([][]record, (n+chunkMask)>>chunkBits)}
}

// Add returns the record of the next request.
func (l *log) Add(due int64) *Record {
	r := l.next()
	r.due = due
	return r
}

// At returns the record of request i, which has been added.
func (l *log) At(i uint64) *Record { return &l.chunks[i>>chunkBits][i&chunkMask] }

// Len is how many there are.
func (l *log) Len() int { return l.n }

// A Record is what is noted of one request.
type Record = record

// Due is when the request was due.
func (r *record) Due() int64 { return r.due }

// Held notes whether the generator came back from the request before only when this one was due, as
// what it had called held it up.
func (r *record) Held(held bool) { r.held = held }

// Issue notes when the generator turned to the request.
func (r *record) Issue(at int64) { r.issue = at }

// Attempt notes one attempt at the request.
func (r *record) Attempt(start, busy int64) {
	if r.attempts == 0 {
		r.start = start
	}
	r.attempts++
	r.busy += busy
}

// Settle notes what became of the request.
func (r *record) Settle(o Outcome, end int64) { r.outcome, r.end = o, end }

// An Outcome is what became of a request.
type Outcome = outcome

// The outcomes.
const (
	Completed = completed
	Failed    = failed    // not answered, or with an error
	Throttled = throttled // refused by the target
	Shed      = shed      // refused by the strategy
	Abandoned = abandoned // given up
)

// Result computes what the run reports.
func (rec *Recording) Result() (*Result, error) {
	o := &observation{
		scenario: Scenario{
			Strategy: rec.Strategy, Limit: rec.Limit, Queue: rec.Queue, Seed: rec.Seed, Clock: Real,
			Load: Load{Arrival: rec.Arrival, PerSecond: rec.Rate},
			Stop: Stop{Duration: rec.Duration},
		},
		recording: rec, trace: newTrace(rec.Records), peak: rec.Peak, service: rec.Busy,
		settledTwice: rec.Twice, seen: rec.seen,
	}
	o.lanes = o.scenario.lanes()
	r, err := o.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Name, err)
	}
	return r, nil
}

// name is that of the run in results.
func (o *observation) name() string {
	if o.recording != nil {
		return o.recording.Name
	}
	return o.scenario.Name()
}
