package machine

import "time"

// Pressure is what a run says of the machine's other work, in shares of 1 but for Waiting;
// negative where the system does not tell.
type Pressure struct {
	Steal float64 // of the processors' time, that the host gave to other virtual machines
	// of the time, in which some thread on the system was ready and had no processor (PSI)
	Stall  float64
	Others float64 // of the processors' time, that other programs on this machine used
	// of the time in which this process's threads ran or were ready, that they were only ready
	Queued float64
	// threads of this process that were ready and had no processor, on average: no share
	Waiting float64
}

// UnknownPressure is that of a system that does not tell.
var UnknownPressure = Pressure{-1, -1, -1, -1, -1}

// counters are readings from which pressure is the difference; negative or nil where there is none.
type counters struct {
	at            time.Time
	stolen, ticks int64 // of all processors
	busy          int64 // ticks in which they worked
	own           int64 // ns of CPU that this process used
	stalled       int64 // µs
	threads       map[string]threadTime
}

// tick is the unit of /proc/stat, the same on every Linux; fewer of them tell nothing of a share.
const (
	tick        = 10 * time.Millisecond
	fewestTicks = 50
)

// threadTime is a thread's time on a processor and its time waiting for one, in ns.
type threadTime struct{ ran, queued int64 }

// since is the pressure between two readings. Threads that ended between them are not known of.
func (c counters) since(before counters) Pressure {
	p := UnknownPressure
	if ticks := c.ticks - before.ticks; before.ticks >= 0 && ticks > 0 {
		p.Steal = max(float64(c.stolen-before.stolen)/float64(ticks), 0)
		if own := c.own - before.own; ticks >= fewestTicks && own > 0 {
			p.Others = max((float64(c.busy-before.busy)-float64(own)/float64(tick))/float64(ticks),
				0)
		}
	}
	elapsed := c.at.Sub(before.at)
	if before.stalled >= 0 && c.stalled >= 0 && elapsed > 0 {
		p.Stall = min(float64(c.stalled-before.stalled)*float64(time.Microsecond)/float64(elapsed),
			1)
	}
	var sum threadTime
	for thread, now := range c.threads {
		then := before.threads[thread]
		sum.ran += now.ran - then.ran
		sum.queued += now.queued - then.queued
	}
	if all := sum.ran + sum.queued; all > 0 {
		p.Queued = float64(sum.queued) / float64(all)
		if elapsed > 0 {
			p.Waiting = float64(sum.queued) / float64(elapsed)
		}
	}
	return p
}
