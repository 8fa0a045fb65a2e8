package workloads

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A watch interrupts the waits of a context when it ends, so tasks wait only for their timers. A
// select over timer and context costs a fifth of a virtual run. The watched context is the
// strategy's.
type watch struct {
	done <-chan struct{} // of the watched context

	mu   sync.Mutex
	idle []*watched
	all  []*watched
}

// A watched is the reusable state of one wait.
type watched struct {
	slot
	state atomic.Int32
	cut   chan bool // receives whether the timer was stopped early; has room for one
}

// A goroutine that changes waiting ends the wait.
const (
	notWaiting = iota
	waiting
	cutShort
)

// watchOver returns nil unless ctx is the first context that two consecutive waits share.
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

func (o *watch) acquire() *watched {
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

func (o *watch) putBack(p *watched) {
	o.mu.Lock()
	o.idle = append(o.idle, p)
	o.mu.Unlock()
}

func (o *watch) end() {
	o.mu.Lock()
	all := o.all
	o.mu.Unlock()
	for _, p := range all {
		if p.state.CompareAndSwap(waiting, cutShort) {
			early := p.timer.Stop() // false if the timer has expired meanwhile
			if early {
				p.timer.Reset(0)
			}
			p.cut <- early
		}
	}
}

// If d and ctx end at the same instant, the wait is complete.
func (p *watched) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	p.set(d)
	p.state.Store(waiting)
	early := ctx.Err() // ctx may have ended before the state was waiting
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
		p.timer.Stop() // no tick remains in the channel since Go 1.23
	}
	return early
}

func (s *slot) set(d time.Duration) {
	if s.timer == nil {
		s.timer = time.NewTimer(d)
	} else {
		s.timer.Reset(d)
	}
}
