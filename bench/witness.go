package bench

import "time"

// A Witness watches the machine while something is measured under the real clock: a meter of hiccups on a thread of its own, and what the system
// counts of steal, pressure and other programs. It costs some 10 µs of CPU time in a millisecond, on that thread.
type Witness struct {
	before   counters
	meter    *meter // nil: there is none, as in tests
	pressure pressure
}

// StartWitness starts to watch. Whoever starts it ends it.
func StartWitness() *Witness {
	m := startMeter()
	return &Witness{before: readCounters(), meter: m, pressure: unknownPressure}
}

// End stops watching, a millisecond later at most; instants count from base, when the run began. It is called once.
func (w *Witness) End(base time.Time) {
	w.meter.end(base)
	w.pressure = readCounters().since(w.before)
}
