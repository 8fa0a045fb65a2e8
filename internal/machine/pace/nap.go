package pace

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A timer is a way to sleep. One goroutine sleeps, any other may wake it.
type timer interface {
	// sleep returns at that time after the nap's base or somewhat later, soon after called is set,
	// and now and then for no reason.
	sleep(at int64, called *atomic.Uint32)
	// wake ends a sleep. called has been set before.
	wake(called *atomic.Uint32)
	// close lets go of what the timer holds. Nobody sleeps then, or will.
	close()
}

// A nap is how one goroutine waits for instants. It has itself woken early by a lead, which it
// learns from how late its sleeps end, and looks at the clock for the rest.
type nap struct {
	base      time.Time
	timer     timer
	lead      int64         // ns
	most      int64         // that the lead may be at the moment
	limit     int64         // that it may ever be
	last, gap int64         // the instant before, and the time from one to the next, smoothed
	called    atomic.Uint32 // 1: somebody wants the goroutine awake
}

const (
	// mostLead is what a wait may cost in CPU time, and with it how late a sleep may end and be
	// made good.
	mostLead = int64(60 * time.Microsecond)
	// mostShare is the most of the time between instants that the lead may be, one part in so many:
	// waiting must not cost the tasks their processors.
	mostShare = 3
	// leastSleep is the shortest that is worth its system calls.
	leastSleep = int64(2 * time.Microsecond)
)

func newNap(base time.Time, t timer, limit int64) nap {
	return nap{base: base, timer: t, lead: limit, most: limit, limit: limit}
}

// spin is the limit of the lead here: none where nobody else would run while this goroutine looks
// at the clock.
func spin() int64 {
	if runtime.GOMAXPROCS(0) == 1 {
		return 0
	}
	return mostLead
}

// now is the time since the base in nanoseconds.
func (n *nap) now() int64 { return int64(time.Since(n.base)) }

// follow notes which instant is next, and what a wait for it may cost.
func (n *nap) follow(at int64) {
	n.gap += (max(at-n.last, 0) - n.gap) / 16
	n.last = at
	n.most = min(n.gap/mostShare, n.limit)
}

// until returns the time when it is at least that, or earlier when the nap is called.
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

// learn moves the lead towards the lateness that 19 of 20 sleeps keep: a step up weighs as much as
// 19 down. A sleep that was cut short says nothing. Where the waits are shorter than the lead there
// is no sleep to learn from; there the lead shrinks until there is one, in one wait of some
// hundred.
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

// call makes until return: the one that runs, or the next.
func (n *nap) call() {
	if n.called.Swap(1) == 0 {
		n.timer.wake(&n.called)
	}
}

// answer takes notice of the calls so far.
func (n *nap) answer() { n.called.Store(0) }
