package record

import (
	"cmp"
	"iter"
	"slices"
)

// A Trace contains every record of a run in order of due times.
type Trace struct {
	chunks  []*chunk
	order   []uint32 // nil if the chunks are already in order
	logs    []uint32 // index of the log of each chunk, if order is set
	numbers [][]uint32
	n       int
}

// Len returns the number of records.
func (t *Trace) Len() int { return t.n }

// Merged reports whether several goroutines issued the tasks.
func (t *Trace) Merged() bool { return t.order != nil }

// At returns the record of task i.
func (t *Trace) At(i int) *Record {
	if t.order != nil {
		i = int(t.order[i])
	}
	return &t.chunks[i>>chunkBits][i&chunkMask]
}

// From yields the tasks from first on.
func (t *Trace) From(first int) iter.Seq2[int, *Record] {
	return func(yield func(int, *Record) bool) {
		for i := first; i < t.n; {
			next := t.contiguous(i)
			for k := range next {
				if !yield(i+k, &next[k]) {
					return
				}
			}
			i += len(next)
		}
	}
}

func (t *Trace) contiguous(i int) []Record {
	n := t.n - i
	if t.order != nil {
		i, n = int(t.order[i]), 1
	}
	chunk := t.chunks[i>>chunkBits][i&chunkMask:]
	return chunk[:min(n, len(chunk))]
}

// Seq returns the number of task i in the plan.
func (t *Trace) Seq(i int) uint64 {
	if t.numbers == nil {
		return uint64(i)
	}
	i = int(t.order[i])
	return uint64(t.numbers[i>>chunkBits][i&chunkMask])
}

// Lags yields the tasks with their lags: the delay compared with an ideal generator, which turns to
// a task when it is due or when the previous Submit returns. A generator that overslept lags until
// it has caught up. Each log has its own generator.
func (t *Trace) Lags() iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		before := make([]Lagging, 1) // by log
		if n := len(t.logs); n > 0 {
			before = make([]Lagging, t.logs[n-1]+1)
		}
		for i, r := range t.From(0) {
			b := &before[0]
			if t.order != nil {
				b = &before[t.logs[t.order[i]>>chunkBits]]
			}
			if !yield(i, b.Next(r)) {
				return
			}
		}
	}
}

// A Lagging computes the lags of consecutive tasks.
type Lagging struct{ ready, issue int64 }

// Next returns the lag of the next task.
func (b *Lagging) Next(r *Record) int64 {
	if r.Blocked { // no sleep, because the previous Submit lasted from one issue to the next
		b.ready = max(r.Due, b.ready+r.Issue-b.issue)
	} else {
		b.ready = r.Due
	}
	b.issue = r.Issue
	return r.Issue - b.ready
}

// NewTrace merges logs. The order of several logs needs 4 bytes per task.
func NewTrace(logs []Log) *Trace {
	if len(logs) == 1 {
		return &Trace{chunks: logs[0].chunks, n: logs[0].n}
	}
	t := &Trace{order: []uint32{}}
	numbered := slices.ContainsFunc(logs, func(l Log) bool { return l.numbers != nil })
	for at, l := range logs {
		base := uint32(len(t.chunks) << chunkBits)
		t.chunks = append(t.chunks, l.chunks...)
		for k := range l.chunks {
			t.logs = append(t.logs, uint32(at))
			if numbered { // there may be more chunks than records need
				from := min(k<<chunkBits, len(l.numbers))
				t.numbers = append(t.numbers, l.numbers[from:])
			}
		}
		for i := range l.n {
			t.order = append(t.order, base+uint32(i))
		}
	}
	t.n = len(t.order)
	due := func(i uint32) int64 { return t.chunks[i>>chunkBits][i&chunkMask].Due }
	slices.SortStableFunc(t.order, func(a, b uint32) int { return cmp.Compare(due(a), due(b)) })
	return t
}

// PeakOf returns the largest number of requests in flight at once. A retried request counts from
// its first start until it is settled, so the result is an upper bound.
func PeakOf(records []Log) (peak int64) {
	var starts, ends []int64
	for _, l := range records {
		for i := range l.n {
			r := l.At(uint64(i))
			switch {
			case r.Attempts == 1 && r.Busy > 0:
				starts, ends = append(starts, r.Start), append(ends, r.Start+r.Busy)
			case r.Attempts > 1 && r.End > r.Start:
				starts, ends = append(starts, r.Start), append(ends, r.End)
			}
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	over := 0
	for begun, at := range starts {
		for ends[over] <= at {
			over++
		}
		peak = max(peak, int64(begun+1-over))
	}
	return peak
}
