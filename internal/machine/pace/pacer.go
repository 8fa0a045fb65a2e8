package pace

import (
	"runtime"
	"time"
)

// A Pacer waits for due times on behalf of one goroutine. Other goroutines may only call Interrupt.
type Pacer struct{ nap }

// Times are relative to base. The caller must close the pacer.
func NewPacer(base time.Time) *Pacer {
	return &Pacer{newNap(base, newTimer(base), leadLimit())}
}

// Next is Until for a caller that has just passed a task to another goroutine. That goroutine runs
// first, instead of waiting for another thread. Next costs about 40 µs of CPU time, because the
// scheduler wakes another thread for it.
func (p *Pacer) Next(due time.Duration) time.Duration {
	if p.now() < int64(due) {
		runtime.Gosched()
	}
	return p.Until(due)
}

// Until returns the time when it is at least due, or earlier when the pacer is interrupted. It does
// not allocate.
func (p *Pacer) Until(due time.Duration) time.Duration {
	now, at := p.now(), int64(due)
	p.setNext(at)
	if p.gap <= p.lead {
		// A sleep would end when the next task is due. Polling costs no more and is on time.
		p.most = p.limit
	}
	if now >= at {
		return time.Duration(now)
	}
	return time.Duration(p.until(at))
}

// Interrupt ends the current wait and all later ones until Answer is called.
func (p *Pacer) Interrupt() { p.call() }

// Answer resets the interrupts so far. Only the waiting goroutine may call it, between waits.
func (p *Pacer) Answer() { p.answer() }

// Until must not be called after Close. Interrupt may be.
func (p *Pacer) Close() { p.timer.close() }
