package validity

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/workloads"
)

const (
	// pauseFloor is the shortest stop of the whole process that makes any run INVALID. The longest
	// stop seen on a merely busy machine is 57 ms.
	pauseFloor = 100 * time.Millisecond
	// stallShare is the largest accepted p99 of the hiccup meter relative to the p99 response.
	// Delays up to smallestStall are ignored.
	stallShare    = 0.1
	smallestStall = time.Millisecond
	// busyShare is the accepted share of waiting for a processor, of steal and of CPU pressure. A
	// contended machine has 50 % or more, a quiet one about 1 % of steal and pressure. An idle
	// process waits 30 % even on a quiet machine, because its threads run only for the time of a
	// wake-up.
	busyShare = 0.05
)

// r must already contain the responses.
func checkMachine(o *observe.Run, r *result.Result) {
	p := o.Seen.Pressure
	for _, share := range []struct {
		unit  string
		value float64
	}{{metric.CPUSteal, p.Steal}, {metric.CPUOthers, p.Others}, {metric.CPUPressure, p.Stall},
		{metric.CPUWait, p.Queued}} {
		if share.value >= 0 {
			r.Add(share.unit, share.value)
		}
	}
	if p.Steal > busyShare {
		r.Doubt(result.Suspect, rundir.CheckMachine,
			"the host used %.0f %% of the processors' time for other guests (steal; limit %.0f "+
				"%%)", 100*p.Steal, 100*busyShare)
	}
	switch {
	case fillsOnPurpose(o):
	case p.Others >= 0 && p.Others <= busyShare:
		// the threads waited for this process, whose tasks should use all processors
	case p.Waiting >= 0 && p.Waiting <= busyShare*tasksInService(r):
		// by Little's law the threads spent at most this share of the service times waiting
	case p.Queued > busyShare:
		r.Doubt(result.Suspect, rundir.CheckMachine,
			"CPU contention: runnable threads of this process waited for a processor for %.0f %% "+
				"of the time%s (limit %.0f %%)",
			100*p.Queued, also(p), 100*busyShare)
	case p.Stall > busyShare:
		r.Doubt(result.Suspect, rundir.CheckMachine,
			"CPU contention: for %.0f %% of the time, a runnable thread on this machine had no "+
				"processor (limit %.0f %%)",
			100*p.Stall, 100*busyShare)
	}
	if o.Seen.Hiccups != nil {
		checkHiccups(o, r, o.Seen.Hiccups)
	}
}

// fillsOnPurpose reports whether the run should keep all processors busy: clients send without a
// pause, and only the server also runs on this machine.
func fillsOnPurpose(o *observe.Run) bool {
	others := o.Seen.Pressure.Others
	return o.FlatOut && (o.Local || others >= 0 && others <= busyShare)
}

func tasksInService(r *result.Result) float64 {
	rate, _ := r.Metric(metric.Throughput)
	service, _ := r.Metric(metric.MeanService)
	return rate * service
}

func also(p machine.Pressure) string {
	if p.Stall < 0 {
		return ""
	}
	return "; on the whole machine, a thread waited for " + text.WholeShare(p.Stall)
}

func checkHiccups(o *observe.Run, r *result.Result, h *machine.Hiccups) {
	p99, longest := h.Late.ValueAtQuantile(99), float64(record.HistogramMax(h.Late))
	known := statistics.Resolvable(0.99, int(h.Late.TotalCount()))
	if known {
		r.Add(metric.P99Hiccup, float64(p99)/observe.Second)
	}
	r.Add(metric.MaxHiccup, longest/observe.Second)
	var causes [3]struct {
		n, due int
		worst  machine.Stall
	}
	paused := false
	for _, s := range h.Stalls {
		k := &causes[s.Cause()]
		paused = paused || s.Late >= int64(pauseFloor) && s.Cause() == machine.Stopped
		if min(s.Late, s.Until()) >= int64(pauseFloor) {
			k.n++
			k.due += dueBetween(o, s.From, s.Until())
			if s.Late > k.worst.Late {
				k.worst = s
			}
		}
	}
	for _, of := range []struct {
		cause   machine.Cause
		verdict result.Verdict
		check   string
		format  string
	}{
		{machine.Stopped, result.Invalid, rundir.CheckPause,
			"from %s on, the process stalled for %s%s: meanwhile it used %s of CPU time, and %d " +
				"tasks were due"},
		{machine.Crowded, result.Suspect, rundir.CheckMachine,
			"from %s on, a ready thread did not run for %s%s: other programs used the " +
				"processors, and this process only %s of CPU time"},
		{machine.OwnWork, result.Suspect, rundir.CheckStalls,
			"from %s on, a ready thread did not run for %s%s: meanwhile the process itself used " +
				"the processors (%s of CPU time)"},
	} {
		if k := causes[of.cause]; k.n > 0 && (of.cause == machine.Stopped || !fillsOnPurpose(o)) {
			said := []any{text.Seconds(float64(k.worst.From) / 1e9),
				text.Seconds(float64(k.worst.Late) / 1e9), times(k.n),
				text.Seconds(float64(k.worst.CPU) / 1e9)}
			if of.cause == machine.Stopped {
				said = append(said, k.due)
			}
			r.Doubt(of.verdict, of.check, of.format, said...)
		}
	}
	what := "p99"
	typical, has := r.Metric(metric.P99Response)
	if !has {
		what = "longest"
		typical, has = r.Metric(metric.MaxResponse)
	}
	others := o.Seen.Pressure.Others
	own := o.Plan.Kind == workloads.CPU && others >= 0 && others <= busyShare || fillsOnPurpose(o)
	if known && !paused && !own && has && p99 > int64(smallestStall) &&
		float64(p99) > stallShare*typical*observe.Second {
		r.Doubt(result.Suspect, rundir.CheckStalls,
			"scheduling stalls: at the p99, a ready thread waited %s or more for a processor (at "+
				"most %s); the %s response time is %s",
			text.Seconds(float64(p99)/1e9), text.Seconds(longest/1e9), what,
			text.Seconds(typical))
	}
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (the longest of %d times)", n)
}

func dueBetween(o *observe.Run, from, to int64) (n int) {
	if o.Trace == nil { // a soak keeps no records
		return int(float64(to-from) / observe.Second * o.Plan.Rate(o.Mean))
	}
	for _, rec := range o.Trace.From(0) {
		if due := rec.Due; due >= from && due < to {
			n++
		}
	}
	return n
}
