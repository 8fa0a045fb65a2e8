package pace

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Only one goroutine sleeps in a timer. Any other may wake it.
type timer interface {
	// sleep returns at the given time after the nap's base or slightly later. It returns soon after
	// called is set, and sometimes spuriously.
	sleep(at int64, called *atomic.Uint32)
	// The caller of wake must set called first.
	wake(called *atomic.Uint32)
	// There must be no sleep during or after close.
	close()
}

// nap wakes early by a lead, which it learns from the lateness of its sleeps, and polls the clock
// for the rest.
type nap struct {
	base      time.Time
	timer     timer
	lead      int64         // ns
	most      int64         // current limit of the lead
	limit     int64         // permanent limit of the lead
	last, gap int64         // previous instant, and smoothed time between instants
	called    atomic.Uint32 // 1 if the goroutine must wake
}

const (
	// maxLead limits the CPU time of a wait, and so the lateness that can be compensated.
	maxLead = int64(60 * time.Microsecond)
	// The lead is at most a third of the time between instants, so that waiting does not use the
	// processors of the tasks.
	maxShare = 3
	// A shorter sleep is not worth its system calls.
	minSleep = int64(2 * time.Microsecond)
)

func newNap(base time.Time, t timer, limit int64) nap {
	return nap{base: base, timer: t, lead: limit, most: limit, limit: limit}
}

// leadLimit is 0 with one processor, where no other goroutine could run while this one polls the
// clock.
func leadLimit() int64 {
	if runtime.GOMAXPROCS(0) == 1 {
		return 0
	}
	return maxLead
}

func (n *nap) now() int64 { return int64(time.Since(n.base)) }

func (n *nap) setNext(at int64) {
	n.gap += (max(at-n.last, 0) - n.gap) / 16
	n.last = at
	n.most = min(n.gap/maxShare, n.limit)
}

// until returns earlier than at if the nap is called.
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
		if wake := at - min(n.lead, n.most); wake-now > minSleep || n.limit == 0 {
			n.timer.sleep(wake, &n.called)
			n.learn(n.now() - wake)
			slept = true
		}
	}
}

// learn moves the lead towards the 95th percentile of the lateness: a step up is 19 times as large
// as a step down. If all waits are shorter than the lead, there is no sleep to learn from, so the
// lead shrinks until there is a sleep, after some hundred waits.
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

// call makes the current or the next until return.
func (n *nap) call() {
	if n.called.Swap(1) == 0 {
		n.timer.wake(&n.called)
	}
}

func (n *nap) answer() { n.called.Store(0) }
