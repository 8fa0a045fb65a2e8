// Package witness watches the machine while something is measured under the real clock: a meter of
// hiccups on a thread of its own, and what the system counts of steal, pressure and other programs.
//
//	w := witness.Start()
//	base := time.Now() // and the run
//	seen := w.End(base)
//
// It costs some 10 µs of CPU time in a millisecond, on that thread. What speaks against a run is up
// to whoever measured it.
package witness

import (
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// CPUModel is the name of the CPU, "" where the system does not tell.
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

// A Witness is at work.
type Witness struct {
	stop   atomic.Bool
	ready  chan struct{}
	done   chan struct{}
	begun  time.Time
	before counters
	seen   *Seen
}

// Seen is what a witness saw.
type Seen struct {
	Pressure Pressure
	Hiccups  *Hiccups // nil: there was no meter, as in tests
	CPU      int64    // ns that watching took; 0 where the system does not tell
}

// Start starts to watch. Whoever starts it ends it.
func Start() *Witness {
	w := &Witness{
		ready: make(chan struct{}), done: make(chan struct{}), begun: time.Now(),
		seen: &Seen{Pressure: Unknown, Hiccups: NewHiccups()},
	}
	go w.meter()
	<-w.ready // what it allocates is not the run's
	w.before = readCounters()
	return w
}

// End stops watching, a millisecond later at most, and says what was seen; instants count from
// base, when the run began. It is called once.
func (w *Witness) End(base time.Time) *Seen {
	w.stop.Store(true)
	<-w.done
	for i := range w.seen.Hiccups.Stalls {
		w.seen.Hiccups.Stalls[i].From -= int64(base.Sub(w.begun))
	}
	w.seen.Pressure = readCounters().since(w.before)
	return w.seen
}

// Stalled reports whether the machine stood still for most of the time from one instant to another.
func (s *Seen) Stalled(from, to int64) bool {
	return s != nil && s.Hiccups != nil && s.Hiccups.Covers(from, to)
}
