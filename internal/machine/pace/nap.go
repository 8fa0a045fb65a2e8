package pace

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A timer is a way to sleep. One goroutine sleeps, any other may wake it.
type timer interface {
	// sleep returns at that time after the nap's base or slightly later, soon after called is set, and
	// sometimes spuriously.
	sleep(at int64, called *atomic.Uint32)
	// wake ends a sleep. called must be set before.
	wake(called *atomic.Uint32)
	// close releases the timer. Nobody sleeps then, or later.
	close()
}

// A nap makes one goroutine wait for instants. It wakes early by a lead, learned from the lateness
// of its sleeps, and polls the clock for the rest.
type nap struct {
	base      time.Time
	timer     timer
	lead      int64         // ns
	most      int64         // current bound of the lead
	limit     int64         // permanent bound of the lead
	last, gap int64         // the instant before, and the smoothed time between instants
	called    atomic.Uint32 // 1: somebody wants to wake the goroutine
}

const (
	// mostLead bounds the CPU time of a wait, and so the lateness of a sleep that can be compensated.
	mostLead = int64(60 * time.Microsecond)
	// mostShare is the largest share of the lead in the time between instants, one part in so many:
	// waiting must not use the tasks' processors.
	mostShare = 3
	// leastSleep is the shortest sleep that is worth its system calls.
	leastSleep = int64(2 * time.Microsecond)
)

func newNap(base time.Time, t timer, limit int64) nap {
	return nap{base: base, timer: t, lead: limit, most: limit, limit: limit}
}

// spin returns the limit of the lead: 0 if nobody else could run while this goroutine polls the
// clock.
func spin() int64 {
	if runtime.GOMAXPROCS(0) == 1 {
		return 0
	}
	return mostLead
}

func (n *nap) now() int64 { return int64(time.Since(n.base)) }

// follow sets the next instant, and the bound of its lead.
func (n *nap) follow(at int64) {
	n.gap += (max(at-n.last, 0) - n.gap) / 16
	n.last = at
	n.most = min(n.gap/mostShare, n.limit)
}

// until returns the time when it is at least at, or earlier when the nap is called.
func (n *nap) until(at int64) int64 {
	slept := false
	for {
		now := n.now()
		if now >= at || n.called.Load() != 0 {
			if !slept {
				n.lead -= n.lead >> 11 // see learn
			}
			return now
		}
		if wake := at - min(n.lead, n.most); wake-now > leastSleep || n.limit == 0 {
			n.timer.sleep(wake, &n.called)
			n.learn(n.now() - wake)
			slept = true
		}
	}
}

// learn moves the lead towards the 95th percentile of the lateness: a step up weighs as much as 19
// down. An interrupted sleep does not count. If the waits are shorter than the lead there is no
// sleep to learn from. Then the lead shrinks until there is one, in one wait of some hundred.
func (n *nap) learn(late int64) {
	step := n.lead>>6 + 1<<5
	switch {
	case late < 0:
	case late > n.lead:
		n.lead = min(n.lead+19*step, n.limit)
	default:
		n.lead = max(n.lead-step, 0)
	}
}

// call makes until return: the current call, or the next.
func (n *nap) call() {
	if n.called.Swap(1) == 0 {
		n.timer.wake(&n.called)
	}
}

func (n *nap) answer() { n.called.Store(0) }
