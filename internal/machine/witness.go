package machine

import (
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// CPUModel returns the name of the CPU, or "" if unknown.
func CPUModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// A Witness observes the machine.
type Witness struct {
	stop   atomic.Bool
	ready  chan struct{}
	done   chan struct{}
	begun  time.Time
	before counters
	used   Usage // of the process before
	own    Usage // of the meter's thread
	seen   *WitnessSeen

	runtime *RuntimeWatch
}

// WitnessSeen contains a witness's observations.
type WitnessSeen struct {
	Pressure Pressure
	Hiccups  *Hiccups // nil: there was no meter, as in tests
	CPU      int64    // ns used by the observation; 0 if unknown
	// of the process, without the meter's if that is known
	Usage Usage
	// seconds in which its threads were ready and had no processor; negative: unknown
	Queued  float64
	Runtime *RuntimeSeen // nil if Hiccups is
}

// Usage contains the system's counts of a process or thread. All are 0 if unknown, and unknown
// faults are negative.
type Usage struct {
	CPU int64 // ns of user and system time
	// switches to another thread: to wait, or by preemption
	Voluntary, Involuntary int64
	// of pages, without and with a read from a disk
	MinorFaults, MajorFaults int64
}

func (u Usage) less(v Usage) Usage {
	d := Usage{max(u.CPU-v.CPU, 0), max(u.Voluntary-v.Voluntary, 0),
		max(u.Involuntary-v.Involuntary, 0), -1, -1}
	if u.MinorFaults >= 0 && v.MinorFaults >= 0 {
		d.MinorFaults = max(u.MinorFaults-v.MinorFaults, 0)
		d.MajorFaults = max(u.MajorFaults-v.MajorFaults, 0)
	}
	return d
}

// StartWitness starts to watch. The caller must call End.
func StartWitness() *Witness {
	w := &Witness{
		ready: make(chan struct{}), done: make(chan struct{}), begun: time.Now(),
		seen: &WitnessSeen{Pressure: UnknownPressure, Hiccups: NewHiccups()}, runtime: WatchRuntime(),
	}
	go w.meter()
	<-w.ready // its allocations are not the run's
	w.before, w.used = readCounters(), processUsage()
	return w
}

// End stops watching, after at most a millisecond, and returns the observations. Instants count
// from base, when the run began. It must be called once.
func (w *Witness) End(base time.Time) *WitnessSeen {
	w.stop.Store(true)
	<-w.done
	w.seen.Runtime = w.runtime.End()
	w.seen.Usage = processUsage().less(w.used).less(w.own)
	w.seen.CPU = w.own.CPU
	for i := range w.seen.Hiccups.Stalls {
		w.seen.Hiccups.Stalls[i].From -= int64(base.Sub(w.begun))
	}
	now := readCounters()
	w.seen.Pressure = now.since(w.before)
	w.seen.Queued = w.seen.Pressure.Waiting * now.at.Sub(w.before.at).Seconds()
	return w.seen
}

// Stalled reports whether the machine stood still for most of the time from one instant to another.
func (s *WitnessSeen) Stalled(from, to int64) bool {
	return s != nil && s.Hiccups != nil && s.Hiccups.Covers(from, to)
}
