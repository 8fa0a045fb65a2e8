package machine

import (
	"os"
	"strings"
	"sync/atomic"
	"time"
)

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

type Witness struct {
	stop   atomic.Bool
	ready  chan struct{}
	done   chan struct{}
	begun  time.Time
	before counters
	used   Usage // usage of the process before the run
	own    Usage // of the meter's thread
	seen   *WitnessStats

	runtime *RuntimeWatch
}

type WitnessStats struct {
	Pressure Pressure
	Hiccups  *Hiccups // nil if there was no meter, as in tests
	CPU      int64    // CPU time of the observation in ns; 0 if unknown
	Usage    Usage
	// seconds in which threads of the process were ready and had no processor; negative if unknown
	Queued  float64
	Runtime *RuntimeStats // nil if Hiccups is nil
}

// Usage is all 0 if unknown, except that unknown faults are negative.
type Usage struct {
	CPU                    int64 // ns of user and system time
	Voluntary, Involuntary int64
	// without and with a read from a disk
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

func StartWitness() *Witness {
	w := &Witness{
		ready: make(chan struct{}), done: make(chan struct{}), begun: time.Now(),
		seen: &WitnessStats{Pressure: UnknownPressure, Hiccups: NewHiccups()}, runtime: WatchRuntime(),
	}
	go w.meter()
	<-w.ready // so that its allocations do not count in the run
	w.before, w.used = readCounters(), processUsage()
	return w
}

// End takes at most a millisecond and must be called once. Instants are relative to base, the start
// of the run.
func (w *Witness) End(base time.Time) *WitnessStats {
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

func (s *WitnessStats) Stalled(from, to int64) bool {
	return s != nil && s.Hiccups != nil && s.Hiccups.Covers(from, to)
}
