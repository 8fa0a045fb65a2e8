package bench

import (
	"cmp"
	"iter"
	"slices"

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
// that it issued without a pause.
func (t *trace) lags() iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		ready, issue := int64(0), int64(0) // of the task before
		for i := range t.n {
			r := t.at(i)
			if r.held { // no sleep: it came from the submit, which took from issue to issue
				ready = max(r.due, ready+r.issue-issue)
			} else {
				ready = r.due
			}
			issue = r.issue
			if !yield(i, r.issue-ready) {
				return
			}
		}
	}
}

// newTrace merges logs. A single log is in due order already, because one generator issues it; the
// logs of many clients are ordered by an index of 4 bytes a task, which keeps the memory of a run
// under 64 bytes a task.
func newTrace(logs []log) *trace {
	if len(logs) == 1 {
		return &trace{chunks: logs[0].chunks, n: logs[0].n}
	}
	t := &trace{order: []uint32{}}
	for _, l := range logs {
		base := uint32(len(t.chunks) << chunkBits)
		t.chunks = append(t.chunks, l.chunks...)
		for i := range l.n {
			t.order = append(t.order, base+uint32(i))
		}
	}
	t.n = len(t.order)
	due := func(i uint32) int64 { return t.chunks[i>>chunkBits][i&chunkMask].due }
	slices.SortStableFunc(t.order, func(a, b uint32) int { return cmp.Compare(due(a), due(b)) })
	return t
}
