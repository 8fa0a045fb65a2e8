package record

import (
	"sort"

	"github.com/poolbench/poolbench/strategies"
)

// An Outcome is what became of a task. Zero means that nobody has said.
type Outcome uint8

// The outcomes.
const (
	Unsettled Outcome = iota
	Completed
	Failed    // with an error or, of a request, not answered
	Throttled // refused by the target
	Shed      // refused by the strategy
	Abandoned // given up by the strategy, at the end of its run
	GaveUp    // by its caller, whose patience ended before the task was done
)

// A Record is what is noted of one task: 64 bytes, written without a lock by whoever has the task
// at that moment. Instants are nanoseconds since the start of the run.
type Record struct {
	Due, Start, End int64
	Busy            int64 // sum of the time inside Run, over all attempts and steps
	Target          int64 // of Busy: what the target took beside the work
	Issue           int64 // when the generator turned to the task: at its due time or later
	Left            int64 // when it came back from Submit
	Attempts        uint32
	Outcome         Outcome
	Class           strategies.Class
	// the generator came back from the submit before only when the task was due already
	Blocked bool
}

// Response is the time from when the task was due until its end.
func (r *Record) Response() int64 { return r.End - r.Due }

// Wait is the response less the time inside Run.
func (r *Record) Wait() int64 { return r.Response() - r.Busy }

// Accepted reports whether the strategy took the task: not refused by Submit.
func (r *Record) Accepted() bool {
	return r.Attempts > 0 ||
		(r.Outcome != Shed && r.Outcome != Abandoned && r.Outcome != GaveUp)
}

// Attempt notes one attempt at the task.
func (r *Record) Attempt(start, busy int64) {
	if r.Attempts == 0 {
		r.Start = start
	}
	r.Attempts++
	r.Busy += busy
}

// Settle notes what became of the task.
func (r *Record) Settle(o Outcome, end int64) { r.Outcome, r.End = o, end }

// chunkBits sets the size of a chunk of records, 2^chunkBits. Chunks, not one growing slice,
// because a slice that grows would copy itself while tasks hold pointers into it.
const chunkBits = 12

const chunkMask = 1<<chunkBits - 1

// A chunk is an array, so that a masked index needs no check.
type chunk [1 << chunkBits]Record

// A Log holds the records of the tasks that one goroutine issues, in the order of their due times.
// Only that goroutine calls Add.
type Log struct {
	chunks []*chunk
	n      int
	// of a closed loop: the number in the plan of each task; nil: nobody has asked for them
	numbers []uint32
}

// New makes room for so many records, which then stay where they are, so that others may call At
// while one calls Add. A chunk takes memory when it is reached.
func New(n int) Log {
	return Log{chunks: make([]*chunk, (n+chunkMask)>>chunkBits)}
}

// Reserve makes room for n records, so that Add does not allocate while the run is being measured.
func (l *Log) Reserve(n int) {
	for len(l.chunks)<<chunkBits < n {
		l.chunks = append(l.chunks, new(chunk))
	}
}

// Add returns the record of the next task.
func (l *Log) Add(due int64) *Record {
	if l.n&chunkMask == 0 {
		l.begin()
	}
	r := &l.chunks[l.n>>chunkBits][l.n&chunkMask]
	l.n++
	r.Due = due
	return r
}

// begin makes the next chunk, where it is not there.
func (l *Log) begin() {
	l.Reserve(l.n + 1)
	if c := &l.chunks[l.n>>chunkBits]; *c == nil {
		*c = new(chunk)
	}
}

// AddNumbered is Add for a task whose number in the plan is wanted: one of several logs does not
// have all tasks of the plan.
func (l *Log) AddNumbered(due int64, seq uint64) *Record {
	l.numbers = append(l.numbers, uint32(seq))
	return l.Add(due)
}

// Sort puts records that were added in another order into that of their due times. Nobody has a
// record in hand any more.
func (l *Log) Sort() {
	if by := (byDue{l}); !sort.IsSorted(by) {
		sort.Stable(by) // in place: there may be as many as memory has room for
	}
}

type byDue struct{ *Log }

func (l byDue) Less(i, j int) bool { return l.At(uint64(i)).Due < l.At(uint64(j)).Due }

func (l byDue) Swap(i, j int) {
	a, b := l.At(uint64(i)), l.At(uint64(j))
	*a, *b = *b, *a
}

// At returns the record of task i, which has been added.
func (l *Log) At(i uint64) *Record { return &l.chunks[i>>chunkBits][i&chunkMask] }

// Len is how many there are.
func (l *Log) Len() int { return l.n }
