package pace

import (
	"runtime"
	"time"
)

// A Pacer waits for due times on behalf of one goroutine. Only Interrupt is for others.
type Pacer struct{ nap }

// NewPacer returns a pacer whose times count from the base.
func NewPacer(base time.Time) *Pacer {
	return &Pacer{newNap(base, newTimer(base), spin())}
}

// Until returns the time when it is at least due, or earlier when the pacer is interrupted. It does not allocate.
func (p *Pacer) Until(due time.Duration) time.Duration {
	if now := p.now(); now >= int64(due) {
		return time.Duration(now)
	}
	// A task that was just submitted runs here and now, instead of when another thread has come for it.
	runtime.Gosched()
	return time.Duration(p.until(int64(due)))
}

// Interrupt ends the wait, and all later ones.
func (p *Pacer) Interrupt() { p.call() }
