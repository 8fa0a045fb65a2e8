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
		switch last := at(r.end); r.outcome {
		case completed:
			last.Completed++
		case failed:
			last.Failed++
		case throttled:
			last.Throttled++
		case shed:
			last.Shed++
		case abandoned:
			last.Abandoned++
		}
	}
	// Levels follow from the counts: what arrived and has neither ended nor started is queued.
	var arrived, started, ended, unstarted int
	counts := make([]int, len(line)) // ends of tasks that were never started, per interval
	for i := range t.n {
		if r := t.at(i); r.attempts == 0 && r.outcome != unsettled {
			counts[(min(max(r.end-begin, 0)/length, int64(len(line)-1)))]++
		}
	}
	for i := range line {
		v := &line[i]
		arrived += v.Arrived
		started += v.Started
		ended += v.Completed + v.Failed + v.Throttled + v.Shed + v.Abandoned
		unstarted += counts[i]
		v.InFlight = started - (ended - unstarted)
		v.Queued = arrived - started - unstarted
	}
	return line
}
