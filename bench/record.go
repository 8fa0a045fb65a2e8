package bench

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/witness"
	"github.com/poolbench/poolbench/strategies"
)

// outcome is what became of a task. Zero means that nobody has said.
type outcome uint8

const (
	unsettled outcome = iota
	completed
	failed
	throttled
	shed
	abandoned
)

// record is what is noted of one task: 56 bytes, written without a lock by whoever has the task at
// that moment. Instants are nanoseconds since the start of the run.
type record struct {
	due, start, end int64
	busy            int64 // sum of the time inside Run, over all attempts and steps
	issue           int64 // when the generator turned to the task: at its due time or later
	left            int64 // when it came back from Submit
	attempts        uint32
	outcome         outcome
	class           strategies.Class
	// the generator came back from the submit before only when the task was due already
	held bool
}

func (r *record) response() int64 { return r.end - r.due }
func (r *record) wait() int64     { return r.response() - r.busy }

// accepted reports whether the strategy took the task: not refused by Submit.
func (r *record) accepted() bool {
	return r.attempts > 0 || (r.outcome != shed && r.outcome != abandoned)
}

// chunkBits sets the size of a chunk of records, 2^chunkBits. Chunks, not one growing slice,
// because a slice that grows would copy itself while tasks hold pointers into it.
const chunkBits = 12

const chunkMask = 1<<chunkBits - 1

// A log holds the records of the tasks that one goroutine issues. Only that goroutine calls next.
type log struct {
	chunks [][]record
	n      int
}

// reserve makes room for n records, so that next does not allocate while the run is being measured.
func (l *log) reserve(n int) {
	for len(l.chunks)<<chunkBits < n {
		l.chunks = append(l.chunks, make([]record, 1<<chunkBits))
	}
}

func (l *log) next() *record {
	l.reserve(l.n + 1)
	if c := &l.chunks[l.n>>chunkBits]; *c == nil {
		*c = make([]record, 1<<chunkBits)
	}
	r := &l.chunks[l.n>>chunkBits][l.n&chunkMask]
	l.n++
	return r
}

// A trace is every record of a run in the order of the due times.
type trace struct {
	chunks [][]record
	order  []uint32 // nil: as they stand
	logs   []uint32 // by chunk, where there is an order: the log that it is of
	n      int
}

func (t *trace) at(i int) *record {
	if t.order != nil {
		i = int(t.order[i])
	}
	return &t.chunks[i>>chunkBits][i&chunkMask]
}

// lags are the tasks with the lag of each: how much later the generator turned to it than one that
// is never late would have. That one turns to a task when it is due, or when it comes back from the
// submit before, if that is later: what Submit takes is the strategy's, and no part of the lag.
// What the generator lost by oversleeping it is behind by until it has caught up, also with tasks
// that it issued without a pause. Each log has a generator of its own.
func (t *trace) lags() iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		before := make([]lagging, 1) // by log
		if n := len(t.logs); n > 0 {
			before = make([]lagging, t.logs[n-1]+1)
		}
		for i := range t.n {
			r, b := t.at(i), &before[0]
			if t.order != nil {
				b = &before[t.logs[t.order[i]>>chunkBits]]
			}
			if !yield(i, b.of(r)) {
				return
			}
		}
	}
}

// A lagging is what the lag of the next task of a generator counts from: the task before.
type lagging struct{ ready, issue int64 }

// of is the lag of the next task.
func (b *lagging) of(r *record) int64 {
	if r.held { // no sleep: it came from the submit, which took from issue to issue
		b.ready = max(r.due, b.ready+r.issue-b.issue)
	} else {
		b.ready = r.due
	}
	b.issue = r.issue
	return r.issue - b.ready
}

// newTrace merges logs. A single log is in due order already, because one generator issues it; the
// logs of many clients are ordered by an index of 4 bytes a task, which keeps the memory of a run
// under 64 bytes a task.
func newTrace(logs []log) *trace {
	if len(logs) == 1 {
		return &trace{chunks: logs[0].chunks, n: logs[0].n}
	}
	t := &trace{order: []uint32{}}
	for at, l := range logs {
		base := uint32(len(t.chunks) << chunkBits)
		t.chunks = append(t.chunks, l.chunks...)
		for range l.chunks {
			t.logs = append(t.logs, uint32(at))
		}
		for i := range l.n {
			t.order = append(t.order, base+uint32(i))
		}
	}
	t.n = len(t.order)
	due := func(i uint32) int64 { return t.chunks[i>>chunkBits][i&chunkMask].due }
	slices.SortStableFunc(t.order, func(a, b uint32) int { return cmp.Compare(due(a), due(b)) })
	return t
}

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
	Limit    int // of the strategy
	Queue    int // of the strategy
	// one of an open loop, one of each client of a closed one; several where generators shared it
	Records []Records
	Peak    int64    // most requests in flight at once
	Busy    int64    // time that all attempts took, counted apart from the records
	Twice   int64    // requests that were settled twice
	Resent  int64    // requests that went over the wire again, within one attempt
	Doubts  []Reason // found by who drives
	// of a plan that several generators share: its arrivals and its length are judged with the
	// others'
	Share    bool
	Cut      bool          // it ended before its plan did: a soak can be gone on with
	Machines []string      // who they were, a line each
	seen     *witness.Seen // of the machine; nil: nobody watched it
	soak     *Soak         // in place of Records
	second   *continuation // of a soak that was cut off; nil: it begins
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

// Leave notes when the generator came back from what it had called.
func (r *record) Leave(at int64) { r.left = at }

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

// Outcome is what became of the request; 0: nobody has said.
func (r *record) Outcome() Outcome { return r.outcome }

// Busy is the time that all its attempts took.
func (r *record) Busy() int64 { return r.busy }

// End is when it was settled.
func (r *record) End() int64 { return r.end }

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
	o := rec.observation()
	if rec.soak != nil {
		o.fold = rec.soak.belt.end()
		o.fold.o, o.fold.flow.o, o.fold.cut = o, o, rec.Cut
	} else {
		o.trace = newTrace(rec.Records)
	}
	r, err := o.result()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rec.Name, err)
	}
	r.Agents = rec.Machines
	return r, nil
}

// Len is how many records there are.
func (rec *Recording) Len() (n int) {
	if rec.soak != nil {
		return rec.soak.Len()
	}
	for i := range rec.Records {
		n += rec.Records[i].Len()
	}
	return n
}

// observation is what there is to observe, but for the records.
func (rec *Recording) observation() *observation {
	o := &observation{
		scenario: Scenario{
			Strategy: rec.Strategy, Limit: rec.Limit, Queue: rec.Queue, Seed: rec.Seed, Clock: Real,
			Load: Load{Arrival: rec.Arrival, PerSecond: rec.Rate},
			Stop: Stop{Duration: rec.Duration},
		},
		recording: rec, peak: rec.Peak, service: rec.Busy, settledTwice: rec.Twice, seen: rec.seen,
	}
	o.pools = o.scenario.pools()
	return o
}

// name is that of the run in results.
func (o *observation) name() string {
	if o.recording != nil {
		return o.recording.Name
	}
	return o.scenario.Name()
}
