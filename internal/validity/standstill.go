package validity

import (
	"cmp"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/workloads"
)

const (
	standstillFloor  = 100 * time.Millisecond
	standstillFactor = 20 // times the median service, if task times are unknown
	settlingFactor   = 10 // times the median response
)

// CheckStandstill looks for a time, under the real clock, in which no task ended although every
// running task should have. If the hiccup meter continued meanwhile, the cause was not the machine.
func CheckStandstill(o *observe.Run, r *result.Result) {
	if o.Splits() || o.Plan.Strategy.Quantum != nil {
		return
	}
	median, _ := r.Metric(metric.P50Service)
	starts, _ := o.StartsAndEnds(func(*record.Record) bool { return true })
	for _, silence := range silences(o) {
		unusual := int64(standstillFactor * median * observe.Second)
		if starts[len(starts)-1] <= silence.from {
			unusual = max(unusual, slowest(o, silence.from))
		}
		overdue := overdue(o, silence, unusual)
		if overdue == 0 || o.Seen.Stalled(silence.from, silence.to) {
			continue
		}
		r.Doubt(result.Suspect, rundir.CheckStandstill,
			"from %s on, no task ended for %s, although %d running tasks should have ended. The "+
				"machine did not stall, so the target or the strategy did",
			text.Seconds(float64(silence.from)/1e9),
			text.Seconds(float64(silence.to-silence.from)/1e9), overdue)
		return
	}
}

type span struct{ from, to int64 }

// silences returns the longest gaps between two ends of tasks. An idle system also has such gaps.
func silences(o *observe.Run) (all []span) {
	const most = 20
	_, ends := o.StartsAndEnds(func(*record.Record) bool { return true })
	var gaps []int64
	for i := 1; i < len(ends); i++ {
		gaps = append(gaps, ends[i]-ends[i-1])
	}
	slices.Sort(gaps)
	for i := 1; i < len(ends); i++ {
		if gap := ends[i] - ends[i-1]; gap >= max(int64(standstillFloor), 10*gaps[len(gaps)/2]) {
			all = append(all, span{ends[i-1], ends[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	return all[:min(len(all), most)]
}

func slowest(o *observe.Run, by int64) (longest int64) {
	for _, rec := range o.Trace.From(0) {
		if rec.Attempts == 1 && rec.End <= by {
			longest = max(longest, rec.End-rec.Start)
		}
	}
	return longest
}

// overdue returns the number of tasks that were running at the end of a silence and should have
// ended well before. It returns 0 if a task that ran during the whole silence may still be on time,
// because others may wait for that task.
func overdue(o *observe.Run, s span, unusual int64) (n int) {
	timed, _ := o.Workload.(workloads.Timed)
	if o.Trace.Merged() {
		timed = nil // with several clients the order of the records does not identify the task
	}
	for i, rec := range o.Trace.From(0) {
		if rec.Attempts != 1 || rec.End < s.to || rec.Start > s.to-int64(standstillFloor) {
			continue
		}
		own := unusual
		if timed != nil {
			own = int64(timed.Time(uint64(i)))
		}
		if own == 0 || max(rec.Start, s.from)+int64(standstillFloor) > s.to || rec.Start+own+
			int64(standstillFloor)/2 > s.to {
			return 0
		}
		n++
	}
	return n
}

// CheckSettling looks for results that the strategy delayed, for example by collecting them in a
// goroutine or in order.
func CheckSettling(o *observe.Run, r *result.Result, first int) {
	if o.Splits() || o.Stages() != nil { // stages after the work take time
		return
	}
	worst, at := int64(0), 0
	for i, rec := range o.Trace.From(first) {
		if rec.Attempts == 1 && rec.Outcome == record.Completed &&
			o.Plan.Strategy.Quantum == nil {
			if kept := rec.End - rec.Start - rec.Busy; kept > worst {
				worst, at = kept, i
			}
		}
	}
	median, ok := r.Metric(metric.P50Response)
	rec := o.Trace.At(at)
	if !ok || worst < int64(standstillFloor) ||
		float64(worst) < settlingFactor*median*observe.Second ||
		o.Seen.Stalled(rec.End-worst, rec.End) {
		return
	}
	r.Doubt(result.Suspect, rundir.CheckSettling,
		"a task that finished its work at %s was reported as done %s later: something after the "+
			"task, such as the collector of results, delayed the report",
		text.Seconds(float64(rec.End-worst)/1e9), text.Seconds(float64(worst)/1e9))
}
