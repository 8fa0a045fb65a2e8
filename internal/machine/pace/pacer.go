package pace

import (
	"runtime"
	"time"
)

// A Pacer waits for due times on behalf of one goroutine. Only Interrupt is for others.
type Pacer struct{ nap }

// NewPacer returns a pacer whose times count from the base. Its owner closes it.
func NewPacer(base time.Time) *Pacer {
	return &Pacer{newNap(base, newTimer(base), spin())}
}

// Next is Until for who has just handed a task to another goroutine: that one runs first, here and
// now, instead of when another thread has come for it. It costs some 40 µs of CPU, which the
// scheduler spends on waking another thread that looks for more.
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
	p.follow(at)
	if p.gap <= p.lead {
		// a sleep would end when the next task is due: to look at the clock costs no more, and is
		// on time
		p.most = p.limit
	}
	if now >= at {
		return time.Duration(now)
	}
	return time.Duration(p.until(at))
}

// Interrupt ends the wait, and all later ones until Answer is called.
func (p *Pacer) Interrupt() { p.call() }

// Answer takes notice of the interrupts so far: the next wait is not ended by them. It is for the
// goroutine that waits, and not while it does.
func (p *Pacer) Answer() { p.answer() }

// Close lets go of the timer. Until is not called any more; Interrupt may be.
func (p *Pacer) Close() { p.timer.close() }
