package machine

import "time"

// Pressure is the effect of other work on the machine, as shares of 1 except for Waiting. Unknown
// values are negative.
type Pressure struct {
	Steal float64 // share of the processors' time that the host gave to other virtual machines
	// share of the time in which some thread on the system was ready and had no processor (PSI)
	Stall  float64
	Others float64 // share of the processors' time that other programs on this machine used
	// time in which this process's threads were ready but not running, as a share of the time in
	// which they were running or ready
	Queued float64
	// mean number of threads of this process that were ready and had no processor
	Waiting float64
}

var UnknownPressure = Pressure{-1, -1, -1, -1, -1}

type counters struct {
	at            time.Time
	stolen, ticks int64 // ticks of all processors
	busy          int64 // ticks in which the processors worked
	own           int64 // ns of CPU time of this process
	stalled       int64 // µs
	threads       map[string]threadTime
}

// tick is the unit of /proc/stat.
const (
	tick        = 10 * time.Millisecond
	fewestTicks = 50
)

type threadTime struct{ ran, queued int64 }

// since ignores threads that ended between the readings.
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
