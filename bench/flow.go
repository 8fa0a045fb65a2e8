package bench

import (
	"math/bits"
	"slices"

	"github.com/poolbench/poolbench/bench/records"
)

// A flow is a run seen as a stream: one sweep over the arrivals and the ends of the accepted tasks,
// warm-up included, which starts and ends with an empty system. So Little's law is an identity of
// integers on it, not a matter of statistics.
type flow struct {
	offered   int
	outcomes  [records.Abandoned + 1]int
	makespan  int64   // first due to last end
	busy      int64   // by the records
	area      uint128 // ∫ N(t) dt, N being the tasks accepted and not ended
	responses uint128 // Σ (end − due) of the accepted tasks
	negative  int     // tasks with end < due, start < due or wait < 0
	again     int     // tasks that ran more than once
	unrun     int     // tasks that completed and never ran
	accepted  int     // measured ones
	waited    int     // measured ones that had to wait
	seenFull  int     // tasks that were due while every slot was taken
	fullTime  int64   // how long every slot was taken, in the window
	window    int64   // until the last due
}

// uint128 is a sum of nanoseconds × tasks: 10⁷ tasks of an hour overflow 64 bits.
type uint128 struct{ hi, lo uint64 }

func (u *uint128) addProduct(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	u.lo, carry = bits.Add64(u.lo, lo, 0)
	u.hi += hi + carry
}

// A flowing is the sweep of a flow: it is given the records in the order of their due times, and
// keeps the ends of those in the system.
type flowing struct {
	flow
	o        *observation
	bound    int
	ends     instants // to come, of accepted tasks
	inSystem int
	from     int64 // the system was empty until then
	now      int64
	lastEnd  int64
}

// flow sweeps the run; tasks before first are not counted in accepted and waited.
func (o *observation) flow(first int) flow {
	f := flowing{o: o, bound: o.bound()}
	for i := range o.trace.Len() {
		f.add(o.trace.At(i), i >= first)
	}
	return f.ended(o.trace.At(0).Due)
}

// add takes note of the next task. One that ends at the instant of an arrival has made room for it.
func (f *flowing) add(r *records.Record, counts bool) {
	f.offered++
	f.outcomes[r.Outcome]++
	f.busy += r.Busy
	f.lastEnd = max(f.lastEnd, r.End)
	if r.Outcome != records.Unsettled { // which has no end; conservation is broken already
		f.check(r)
	}
	f.leave(r.Due)
	f.advance(r.Due)
	if f.bound > 0 && f.inSystem >= f.bound {
		f.seenFull++
	}
	if !r.Accepted() {
		return
	}
	if counts && r.Attempts > 0 {
		f.accepted++
		if f.o.waited(r, f.inSystem, f.bound) {
			f.waited++
		}
	}
	f.inSystem++
	if r.Outcome != records.Unsettled {
		f.ends.push(r.End)
	}
}

// check counts what a settled task may not be, and its response.
func (f *flowing) check(r *records.Record) {
	if r.Attempts > 1 {
		f.again++
	}
	if r.Attempts == 0 && r.Outcome == records.Completed {
		f.unrun++
	}
	if r.End < r.Due || (r.Attempts > 0 && (r.Start < r.Due || (r.Wait() < 0 && !f.o.splits()))) {
		f.negative++
		return
	}
	if r.Accepted() {
		f.responses.addProduct(1, uint64(r.End-r.Due))
	}
}

func (f *flowing) advance(to int64) {
	if to > f.now {
		f.area.addProduct(uint64(f.inSystem), uint64(to-f.now))
		if f.bound > 0 && f.inSystem >= f.bound {
			f.fullTime += to - f.now
		}
		f.now = to
	}
}

// leave takes those out of the system that end until then.
func (f *flowing) leave(until int64) {
	for len(f.ends) > 0 && f.ends[0] <= until {
		f.advance(f.ends[0])
		f.ends.pop()
		f.inSystem--
	}
}

// ended is the flow of a run whose first task was due then. After the last arrival nobody sees
// anything.
func (f *flowing) ended(firstDue int64) flow {
	window, fullTime := f.now-f.from, f.fullTime
	f.leave(1<<63 - 1)
	f.makespan, f.window, f.fullTime = f.lastEnd-firstDue, window, fullTime
	return f.flow
}

// splits reports whether tasks were served in several slots at once. Their service is longer than
// they were there, so that a wait, response less service, has no meaning.
func (o *observation) splits() bool { return o.plan.Strategy.Splits }

// bound is the strategy's own bound on tasks in flight, 0 where it has none.
func (o *observation) bound() int {
	if of := o.plan.Strategy.Bound; of != nil {
		return of(o.plan.Params)
	}
	return 0
}

// waited reports whether a task had to wait. Under the virtual clock only waiting takes time, so
// the wait itself says it. Under the real one every task waits at least for its hand-over, so the
// occupancy it found when it was due decides, as in theory.
func (o *observation) waited(r *records.Record, inSystem, bound int) bool {
	switch {
	case o.splits():
		return r.Start > r.Due
	case o.plan.Virtual:
		return r.Wait() > 0
	}
	return bound > 0 && inSystem >= bound
}

// A freeTime is the time in which a slot was free, as a function of time.
type freeTime struct {
	at   []int64   // instants at which the number of running tasks changed
	upto []float64 // free time until then; the state holds until the next instant
	open []bool    // whether a slot is free from then on
}

// freeTime follows the tasks in service, from start to end. A strategy without a bound always has a
// free slot.
func (o *observation) freeTime() (f freeTime) {
	bound := o.slots() // for computing, a processor is what there is none of
	if f = (freeTime{at: []int64{0}, upto: []float64{0}, open: []bool{true}}); o.bound() == 0 {
		return f
	}
	starts, ends := o.startsAndEnds(func(*records.Record) bool { return true })
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

// startsAndEnds are the instants at which those tasks started and ended that ever did, each in
// order.
func (o *observation) startsAndEnds(of func(*records.Record) bool) (starts, ends []int64) {
	for i := range o.trace.Len() {
		if r := o.trace.At(i); r.Attempts > 0 && of(r) {
			starts, ends = append(starts, r.Start), append(ends, r.End)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	return starts, ends
}

// until is the free time until an instant after the i-th change and before the next.
func (f freeTime) until(i int, instant int64) float64 {
	if f.open[i] {
		return f.upto[i] + float64(instant-f.at[i])
	}
	return f.upto[i]
}

// between is the free time from one instant to another, both after 0.
func (f freeTime) between(from, to int64) float64 { return f.total(to) - f.total(from) }

func (f freeTime) total(instant int64) float64 {
	i, found := slices.BinarySearch(f.at, instant)
	if !found {
		i--
	}
	return f.until(i, instant)
}

// instants is a heap, the earliest first. By container/heap each push would be an allocation.
type instants []int64

// sink puts the first where it belongs.
func (h instants) sink() {
	for at := 0; ; {
		next := 2*at + 1
		if next >= len(h) {
			return
		}
		if next+1 < len(h) && h[next+1] < h[next] {
			next++
		}
		if h[at] <= h[next] {
			return
		}
		h[at], h[next] = h[next], h[at]
		at = next
	}
}

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

// pop takes the first out.
func (h *instants) pop() {
	last := len(*h) - 1
	(*h)[0] = (*h)[last]
	*h = (*h)[:last]
	h.sink()
}
