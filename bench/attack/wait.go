package attack

import (
	"context"
	"time"

	"github.com/poolbench/poolbench/internal/pace"
)

// A waiter returns the time when it is at least due, or earlier when the attack has ended.
type waiter func(due int64) (now int64)

// newWaiter makes the waiter of the one goroutine that issues requests; end ends it.
func (r *run) newWaiter() (wait waiter, end func()) {
	if r.attack.virtual { // to the virtual clock, a goroutine in a system call is a busy one
		return func(due int64) int64 {
			pause(r.ctx, time.Duration(due-r.now()))
			return r.now()
		}, func() {}
	}
	p := pace.NewPacer(r.base)
	forget := context.AfterFunc(r.ctx, p.Interrupt)
	return func(due int64) int64 { return int64(p.Next(time.Duration(due))) },
		func() { forget(); p.Close() }
}
