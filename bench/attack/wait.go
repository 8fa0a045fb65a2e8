package attack

import (
	"context"
	"time"
)

// near is how long before the due time a waiter leaves the runtime's timer. That one is up to a millisecond late, since it ends in epoll_wait, which
// counts in milliseconds (go.dev/issue/53824).
const near = 1100 * time.Microsecond

// A waiter waits for due times on behalf of one goroutine. This and nap are all there is to exact sending.
type waiter struct {
	clock
	timer *time.Timer
	near  int64 // ns
}

func (r *run) newWaiter() *waiter {
	w := &waiter{clock: r.clock, timer: time.NewTimer(0), near: int64(near)}
	if r.attack.virtual {
		w.near = 0 // where only timers move the time
	}
	return w
}

// until returns true when it is due, or false when ctx ends first.
//
// Spinning with runtime.Gosched in the last millisecond was tried, and made every answer late by milliseconds: as long as some goroutine
// is runnable the scheduler does not look for what the network has.
func (w *waiter) until(ctx context.Context, due int64) bool {
	for {
		left := due - w.now()
		switch {
		case ctx.Err() != nil:
			return false
		case left <= 0:
			return true
		case left <= w.near:
			nap(time.Duration(left))
			continue
		}
		w.timer.Reset(time.Duration(left - w.near))
		select {
		case <-w.timer.C:
		case <-ctx.Done():
			return false
		}
	}
}
