package bench

import (
	"fmt"
	"time"
)

// What the machine may do before a run is doubted.
const (
	// pauseFloor is a stop of the whole process that no scheduler of a machine that is merely busy makes (57 ms is the longest seen on one). It is
	// absolute: what happened in it is not known, so it is not weighed against the length of the run.
	pauseFloor = 100 * time.Millisecond
	// A process that is stopped uses no processor, but for the naps before and after, and its threads do not wait for one. One that gets a bit, or that
	// is in the queue for most of the time, is on a machine that is too busy; one that uses a good part of a processor keeps its own threads waiting.
	stoppedCPU, stoppedQueued, ownCPU = 0.01, 0.5, 0.5
	// stallShare is how large the meter's p99 may be against the p99 response, from a millisecond on: below that a late wake-up is no stall.
	stallShare    = 0.1
	smallestStall = time.Millisecond
	// busyShare is that of waiting for a processor, of steal and of pressure: a quiet machine has about 1 %, a contended one 50 and more.
	busyShare = 0.05
)

// Judge reports what the witness saw of the machine, and doubts the result where that is in it. computing says that the tasks are meant to have
// all processors, so that they keep the process's own threads waiting for one; due counts the tasks that were due between two instants, in ns since
// the run began. The result has its response already.
func (w *Witness) Judge(r *Result, computing bool, due func(from, to int64) int) {
	p := w.pressure
	for _, share := range []struct {
		unit  string
		value float64
	}{{"cpu-steal", p.steal}, {"cpu-others", p.others}, {"cpu-pressure", p.stall}, {"cpu-wait", p.queued}} {
		if share.value >= 0 {
			r.add(share.unit, share.value)
		}
	}
	if p.steal > busyShare {
		r.Doubt(Suspect, checkMachine, "the host took %.0f %% of the processors' time away (steal; more than %.0f %% is too much)", 100*p.steal, 100*busyShare)
	}
	switch {
	case p.others >= 0 && p.others <= busyShare: // whoever waited, waited for this process: its tasks are meant to have all processors
	case p.queued > busyShare:
		r.Doubt(Suspect, checkMachine, "this process's threads, when they were ready, waited for a processor for %.0f %% of the time%s (more than %.0f %% is too much)",
			100*p.queued, p.also(), 100*busyShare)
	case p.stall > busyShare:
		r.Doubt(Suspect, checkMachine, "for %.0f %% of the time some thread on this machine was ready and had no processor (more than %.0f %% is too much)", 100*p.stall, 100*busyShare)
	}
	if w.meter != nil {
		w.checkMeter(r, computing, due)
	}
}

func (p pressure) also() string {
	if p.stall < 0 {
		return ""
	}
	return percent("; on the whole machine some thread did for %s", p.stall)
}

// checkMeter looks at the stalls that the hiccup meter saw.
func (w *Witness) checkMeter(r *Result, ownComputing bool, due func(from, to int64) int) {
	p99, known := w.meter.quantile(0.99)
	if known {
		r.add("p99-hiccup-sec", float64(p99)/second)
	}
	r.add("max-hiccup-sec", float64(w.meter.late.Max())/second)
	var kinds [3]struct {
		n, due int
		worst  stall
	}
	for _, s := range w.meter.stalls {
		if k := &kinds[s.kind()]; s.late >= int64(pauseFloor) {
			k.n++
			k.due += due(s.from, s.from+s.late+int64(nap))
			if s.late > k.worst.late {
				k.worst = s
			}
		}
	}
	if k := kinds[stopped]; k.n > 0 {
		r.Doubt(Invalid, checkPause, "from %s on, the process stood still for %s%s: it used %s of CPU meanwhile, and %d tasks were due",
			spell(float64(k.worst.from)), spell(float64(k.worst.late)), times(k.n), spell(float64(k.worst.cpu)), k.due)
	}
	if k := kinds[crowded]; k.n > 0 {
		r.Doubt(Suspect, checkMachine, "from %s on, a thread that was ready did not run for %s%s: others had the processors, and this process %s of CPU",
			spell(float64(k.worst.from)), spell(float64(k.worst.late)), times(k.n), spell(float64(k.worst.cpu)))
	}
	if k := kinds[computing]; k.n > 0 {
		r.Doubt(Suspect, checkStalls, "from %s on, a thread that was ready did not run for %s%s, in which the process used %s of CPU: its own tasks kept the processors",
			spell(float64(k.worst.from)), spell(float64(k.worst.late)), times(k.n), spell(float64(k.worst.cpu)))
	}
	paused := kinds[stopped].n > 0
	typical, has := r.Metric("p99-response-sec")
	if !has {
		typical, has = r.Metric("max-response-sec")
	}
	// Tasks that compute keep a thread waiting for a processor of the runtime, as they keep each other.
	own := ownComputing && w.pressure.others >= 0 && w.pressure.others <= busyShare
	if known && !paused && !own && has && p99 > int64(smallestStall) && float64(p99) > stallShare*typical*second {
		r.Doubt(Suspect, checkStalls, "for one instant in a hundred the machine left a thread that was ready waiting for %s or more (at most %s); the p99 response is %s",
			spell(float64(p99)), spell(float64(w.meter.late.Max())), spell(typical*second))
	}
}

// kind is what made the stall.
type kind int

const (
	stopped   kind = iota // the process was stopped, or its virtual machine was
	crowded               // others had the processors
	computing             // its own tasks had them
)

func (s stall) kind() kind {
	late := float64(s.late)
	switch used := float64(s.cpu); {
	case used > ownCPU*late:
		return computing
	case used > stoppedCPU*late+float64(2*nap), float64(s.queued) > stoppedQueued*late:
		return crowded
	}
	return stopped
}

// times adds how often something happened that is told of once.
func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (the longest of %d times)", n)
}

// dueBetween counts the tasks that were due from one instant to before another.
func (o *observation) dueBetween(from, to int64) (n int) {
	for i := range o.trace.n {
		if due := o.trace.at(i).due; due >= from && due < to {
			n++
		}
	}
	return n
}

// stalled reports whether the meter saw a stall that covers most of the time from one instant to another.
func (w *Witness) stalled(from, to int64) bool {
	if w == nil || w.meter == nil {
		return false
	}
	covered := int64(0)
	for _, s := range w.meter.stalls {
		covered += max(min(to, s.from+s.late+int64(nap))-max(from, s.from), 0)
	}
	return 2*covered > to-from
}
