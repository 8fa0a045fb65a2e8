package bench

import "time"

// intervals is how many equal stretches a run's timeline has.
const intervals = 100

// timeline counts what happened in each stretch of the run, from its first due to its last end.
func (o *observation) timeline() []Interval {
	t := o.trace
	begin, end := t.at(0).due, int64(0)
	for i := range t.n {
		end = max(end, t.at(i).end)
	}
	length := max((end-begin)/intervals+1, 1)
	line := make([]Interval, (end-begin)/length+1)
	for i := range line {
		line[i].Start, line[i].Length = time.Duration(begin+int64(i)*length), time.Duration(length)
	}
	at := func(instant int64) *Interval {
		return &line[min(max((instant-begin)/length, 0), int64(len(line)-1))]
	}
	for i := range t.n {
		r := t.at(i)
		at(r.due).Arrived++
		if r.attempts > 0 {
			at(r.start).Started++
		}
		if r.outcome == unsettled {
			continue
		}
		last := at(r.end) // whose levels count what leaves them, until they are summed up
		if *last.of(r.outcome)++; r.attempts > 0 {
			last.InFlight--
		} else {
			last.Queued--
		}
	}
	// Levels follow from the counts: what arrived and has neither ended nor started is queued.
	var inFlight, queued int
	for i := range line {
		v := &line[i]
		inFlight += v.Started + v.InFlight
		queued += v.Arrived - v.Started + v.Queued
		v.InFlight, v.Queued = inFlight, queued
	}
	return line
}

// of is the count of tasks that ended like that.
func (v *Interval) of(o outcome) *int { return v.counts()[2+o-completed] }

// counts are those of a row of timeline.csv, in the order of its columns.
func (v *Interval) counts() [9]*int {
	return [...]*int{&v.Arrived, &v.Started, &v.Completed, &v.Failed, &v.Throttled, &v.Shed,
		&v.Abandoned, &v.InFlight, &v.Queued}
}
