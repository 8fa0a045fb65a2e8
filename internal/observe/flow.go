package observe

import (
	"math/bits"
	"slices"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/statistics/recursion"
)

// A Flow contains totals of a run, including the warm-up. The system is empty at both ends, so
// Little's law is an exact identity of integers.
type Flow struct {
	Offered   int
	Outcomes  [record.GaveUp + 1]int
	Makespan  int64   // first due to last end, in ns
	Busy      int64   // sum of service times from the records, in ns
	Area      Uint128 // ∫ N(t) dt, where N is the number of accepted tasks that have not ended
	Responses Uint128 // Σ (end − due) of the accepted tasks
	Negative  int     // tasks with end < due, start < due or wait < 0
	Again     int
	Unrun     int // tasks that completed without running
	accepted  int
	waited    int
	SeenFull  int   // tasks that were due while all slots were taken
	FullTime  int64 // time with all slots taken, until the last due time
	Window    int64
}

// Uint128 is a sum of nanoseconds × tasks, which overflows 64 bits for 10⁷ tasks of an hour.
type Uint128 struct{ Hi, Lo uint64 }

func (u *Uint128) AddProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	u.Lo, carry = bits.Add64(u.Lo, lo, 0)
	u.Hi += hi + carry
}

// Records are added in the order of their due times.
type FlowCounter struct {
	Flow
	Run      *Run
	Bound    int
	Ends     instants // future ends of accepted tasks
	inSystem int
	From     int64 // the system was empty until then
	Now      int64
	LastEnd  int64
}

func (o *Run) Flow(first int) Flow {
	f := FlowCounter{Run: o, Bound: o.Bound()}
	for i, rec := range o.Trace.From(0) {
		f.Add(rec, i >= first)
	}
	return f.Ended(o.Trace.At(0).Due)
}

// A task that ends at the instant of an arrival has left before it.
func (f *FlowCounter) Add(r *record.Record, counts bool) {
	f.Offered++
	f.Outcomes[r.Outcome]++
	f.Busy += r.Busy
	f.LastEnd = max(f.LastEnd, r.End)
	if r.Outcome != record.Unsettled {
		f.check(r)
	}
	f.leave(r.Due)
	f.advance(r.Due)
	if f.Bound > 0 && f.inSystem >= f.Bound {
		f.SeenFull++
	}
	if !r.Accepted() {
		return
	}
	if counts && r.Attempts > 0 {
		f.accepted++
		if f.Run.waited(r, f.inSystem, f.Bound) {
			f.waited++
		}
	}
	f.inSystem++
	if r.Outcome != record.Unsettled {
		f.Ends.push(r.End)
	}
}

func (f *FlowCounter) check(r *record.Record) {
	if r.Attempts > 1 {
		f.Again++
	}
	if r.Attempts == 0 && r.Outcome == record.Completed {
		f.Unrun++
	}
	if r.End < r.Due || (r.Attempts > 0 && (r.Start < r.Due || (r.Wait() < 0 && !f.Run.Splits()))) {
		f.Negative++
		return
	}
	if r.Accepted() {
		f.Responses.AddProduct(1, uint64(r.End-r.Due))
	}
}

func (f *FlowCounter) advance(to int64) {
	if to > f.Now {
		f.Area.AddProduct(uint64(f.inSystem), uint64(to-f.Now))
		if f.Bound > 0 && f.inSystem >= f.Bound {
			f.FullTime += to - f.Now
		}
		f.Now = to
	}
}

func (f *FlowCounter) leave(until int64) {
	for len(f.Ends) > 0 && f.Ends[0] <= until {
		f.advance(f.Ends[0])
		f.Ends.pop()
		f.inSystem--
	}
}

func (f *FlowCounter) Ended(firstDue int64) Flow {
	window, fullTime := f.Now-f.From, f.FullTime
	f.leave(1<<63 - 1)
	f.Makespan, f.Window, f.FullTime = f.LastEnd-firstDue, window, fullTime
	return f.Flow
}

// If tasks were served in several slots at once, their service can exceed their response, so the
// wait, response less service, has no meaning.
func (o *Run) Splits() bool { return o.Plan.Strategy.Splits }

// Bound returns 0 if the strategy does not bound the tasks in flight.
func (o *Run) Bound() int {
	if of := o.Plan.Strategy.Bound; of != nil {
		return of(o.Plan.Params)
	}
	return 0
}

// Under the real clock every task waits for its hand-over, so waited tests whether all slots were
// taken at the due time, or for weighted tasks whether the wait exceeds blockedFrom.
func (o *Run) waited(r *record.Record, inSystem, bound int) bool {
	switch {
	case o.Splits():
		return r.Start > r.Due
	case o.Plan.Virtual:
		return r.Wait() > 0
	case o.Plan.Weights != nil && o.Plan.Strategy.Weighs:
		return r.Wait() > int64(blockedFrom)
	}
	return bound > 0 && inSystem >= bound
}

type freeTime struct {
	at   []int64
	upto []float64 // free time until then, in ns
	open []bool    // whether a slot is free from then on
}

// A strategy without a bound always has a free slot.
func (o *Run) FreeTime() (f freeTime) {
	bound := o.Slots()
	if f = (freeTime{at: []int64{0}, upto: []float64{0}, open: []bool{true}}); o.Bound() == 0 {
		return f
	}
	starts, ends := o.StartsAndEnds(func(*record.Record) bool { return true })
	running, s, e := 0, 0, 0
	for e < len(ends) {
		var now int64
		if s < len(starts) && starts[s] < ends[e] {
			now = starts[s]
			running++
			s++
		} else {
			now = ends[e]
			running--
			e++
		}
		last := len(f.at) - 1
		if open := running < bound; open != f.open[last] {
			f.at, f.upto, f.open = append(f.at, now), append(f.upto, f.until(last, now)),
				append(f.open, open)
		}
	}
	return f
}

func (o *Run) StartsAndEnds(of func(*record.Record) bool) (starts, ends []int64) {
	for _, r := range o.Trace.From(0) {
		if r.Attempts > 0 && of(r) {
			starts, ends = append(starts, r.Start), append(ends, r.End)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	return starts, ends
}

func (f freeTime) until(i int, instant int64) float64 {
	if f.open[i] {
		return f.upto[i] + float64(instant-f.at[i])
	}
	return f.upto[i]
}

// Both instants must be at or after 0.
func (f freeTime) Between(from, to int64) float64 { return f.total(to) - f.total(from) }

func (f freeTime) total(instant int64) float64 {
	i, found := slices.BinarySearch(f.at, instant)
	if !found {
		i--
	}
	return f.until(i, instant)
}

// instants is a min-heap. container/heap would allocate in each push.
type instants []int64

func (h *instants) push(instant int64) {
	*h = append(*h, instant)
	all := *h
	for at := len(all) - 1; at > 0; {
		up := (at - 1) / 2
		if all[up] <= all[at] {
			return
		}
		all[up], all[at] = all[at], all[up]
		at = up
	}
}

func (h *instants) pop() {
	last := len(*h) - 1
	latest := (*h)[last]
	if *h = (*h)[:last]; last > 0 {
		recursion.Sink(*h, latest)
	}
}
