package workloads

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A watch lets tasks with the same context wait only for their timers: a select over timer and
// context costs a fifth of a virtual run. At the end of the context it cuts the current waits
// short. It is registered once, for the context shared by most tasks, the strategy's.
type watch struct {
	done <-chan struct{} // the context's

	mu   sync.Mutex
	idle []*watched
	all  []*watched
}

// A watched is the reusable state of a wait.
type watched struct {
	slot
	state atomic.Int32
	cut   chan bool // told whether the timer was cut short; has room for one
}

// The states of a watched. Whoever changes waiting ends the wait.
const (
	notWaiting = iota
	waiting
	cutShort
)

// watchOver returns the watch over the context, or nil. Only the first context that two consecutive
// waits share is watched.
func (w *waiter) watchOver(ctx context.Context, done <-chan struct{}) *watch {
	if over := w.watch.Load(); over != nil {
		if over.done == done {
			return over
		}
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen != done || w.watch.Load() != nil {
		w.seen = done
		return nil
	}
	over := &watch{done: done}
	context.AfterFunc(ctx, over.end)
	w.watch.Store(over)
	return over
}

// take returns a free one.
func (o *watch) take() *watched {
	o.mu.Lock()
	defer o.mu.Unlock()
	if last := len(o.idle) - 1; last >= 0 {
		p := o.idle[last]
		o.idle = o.idle[:last]
		return p
	}
	p := &watched{cut: make(chan bool, 1)}
	o.all = append(o.all, p)
	return p
}

func (o *watch) giveBack(p *watched) {
	o.mu.Lock()
	o.idle = append(o.idle, p)
	o.mu.Unlock()
}

// end interrupts the waits under way. Later ones check the context.
func (o *watch) end() {
	o.mu.Lock()
	all := o.all
	o.mu.Unlock()
	for _, p := range all {
		if p.state.CompareAndSwap(waiting, cutShort) {
			early := p.timer.Stop() // else it has ended at this instant
			if early {
				p.timer.Reset(0)
			}
			p.cut <- early
		}
	}
}

// wait waits for d or the end of ctx. If both happen at the same instant, the wait is complete.
func (p *watched) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	p.set(d)
	p.state.Store(waiting)
	early := ctx.Err() // its end may have passed by
	if early == nil {
		<-p.timer.C
	}
	if !p.state.CompareAndSwap(waiting, notWaiting) {
		if <-p.cut {
			early = ctx.Err()
		}
		p.state.Store(notWaiting)
	}
	if early != nil {
		p.timer.Stop() // no late tick remains in the channel, since Go 1.23
	}
	return early
}

// set makes the timer end after d.
func (s *slot) set(d time.Duration) {
	if s.timer == nil {
		s.timer = time.NewTimer(d)
	} else {
		s.timer.Reset(d)
	}
}
