package bench

import "slices"

// A freeTime is the time in which a place was free, as a function of time.
type freeTime struct {
	at   []int64   // instants at which the number of running tasks changed
	upto []float64 // free time until then; the state holds until the next instant
	open []bool    // whether a place is free from then on
}

// freeTime follows the tasks in service, from start to end. A strategy without a bound always has a
// free place.
func (o *observation) freeTime() (f freeTime) {
	bound := o.places() // for computing, a processor is what there is none of
	if o.bound() == 0 {
		return freeTime{at: []int64{0}, upto: []float64{0}, open: []bool{true}}
	}
	var starts, ends []int64
	for i := range o.trace.n {
		if r := o.trace.at(i); r.attempts > 0 {
			starts, ends = append(starts, r.start), append(ends, r.end)
		}
	}
	slices.Sort(starts)
	slices.Sort(ends)
	f = freeTime{at: []int64{0}, upto: []float64{0}, open: []bool{true}}
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
