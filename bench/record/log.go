package record

import (
	"sort"

	"github.com/poolbench/poolbench/strategies"
)

// An Outcome is the outcome of a task.
type Outcome uint8

// The outcomes.
const (
	Unsettled Outcome = iota
	Completed
	Failed    // with an error or, for a request, without a response
	Throttled // refused by the target
	Shed      // refused by the strategy
	Abandoned // given up by the strategy, at the end of its run
	GaveUp    // given up by its caller, whose patience ended
)

// A Record contains the data of one task. The current owner of the task writes it without a lock.
// Times are nanoseconds since the start of the run.
type Record struct {
	Due, Start, End int64
	Busy            int64 // total time inside Run, over all attempts and steps
	Target          int64 // part of Busy that the target adds to the work
	Issue           int64 // when the generator started to submit the task: at its due time or later
	Left            int64 // when Submit returned; 0 if unknown
	Attempts        uint32
	Outcome         Outcome
	Class           strategies.Class
	// the previous Submit returned only after the task was due
	Blocked bool
}

// Response returns the time from due to end.
func (r *Record) Response() int64 { return r.End - r.Due }

// Wait returns the response minus the time inside Run.
func (r *Record) Wait() int64 { return r.Response() - r.Busy }

// Accepted reports whether Submit accepted the task.
func (r *Record) Accepted() bool {
	return r.Attempts > 0 ||
		(r.Outcome != Shed && r.Outcome != Abandoned && r.Outcome != GaveUp)
}

// Attempt records one attempt at the task.
func (r *Record) Attempt(start, busy int64) {
	if r.Attempts == 0 {
		r.Start = start
	}
	r.Attempts++
	r.Busy += busy
}

// Settle records the outcome of the task.
func (r *Record) Settle(o Outcome, end int64) { r.Outcome, r.End = o, end }

// A chunk has 2^chunkBits records. A growing slice would move records while tasks have pointers to
// them.
const chunkBits = 12

const chunkMask = 1<<chunkBits - 1

// an array, so a masked index needs no bounds check
type chunk [1 << chunkBits]Record

// A Log contains the records of the tasks that one goroutine issues, in order of due times. Only
// that goroutine may call Add.
type Log struct {
	chunks []*chunk
	n      int
	// number of each task in the plan, for closed loops; nil without AddNumbered
	numbers []uint32
}

// New reserves space for n records. Up to n records the list of chunks does not move, so other
// goroutines may call At concurrently with Add.
func New(n int) Log {
	return Log{chunks: make([]*chunk, (n+chunkMask)>>chunkBits)}
}

// Reserve allocates space for n records, so Add does not allocate during the measurement.
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

func (l *Log) begin() {
	l.Reserve(l.n + 1)
	if c := &l.chunks[l.n>>chunkBits]; *c == nil {
		*c = new(chunk)
	}
}

// AddNumbered is Add for one of several logs. seq is the number of the task in the plan.
func (l *Log) AddNumbered(due int64, seq uint64) *Record {
	l.numbers = append(l.numbers, uint32(seq))
	return l.Add(due)
}

// Sort sorts records by their due times. No record may be in use.
func (l *Log) Sort() {
	if by := (byDue{l}); !sort.IsSorted(by) {
		sort.Stable(by) // in place, because the records may fill the memory
	}
}

type byDue struct{ *Log }

func (l byDue) Less(i, j int) bool { return l.At(uint64(i)).Due < l.At(uint64(j)).Due }

func (l byDue) Swap(i, j int) {
	a, b := l.At(uint64(i)), l.At(uint64(j))
	*a, *b = *b, *a
}

// At returns the record of task i, which must have been added.
func (l *Log) At(i uint64) *Record { return &l.chunks[i>>chunkBits][i&chunkMask] }

// Len returns the number of records.
func (l *Log) Len() int { return l.n }

// MaxTasks is the largest number of tasks of a run that records each task, in 640 MB. A larger run
// is a soak.
const MaxTasks = 10_000_000
