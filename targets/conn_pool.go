package targets

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

var _ = register(Spec{
	Name: "conn_pool",
	Summary: "a database with a limit on connections: a call waits in a queue for a connection, " +
		"and is refused after a timeout",
	Source: "database/sql with SetMaxOpenConns; pattern: limited concurrency in Go",
	Counts: counters(delayedCalls),
	Keys: []param.Key{
		{Name: "conns", Kind: param.Int, Default: "10",
			Doc: "number of connections, each for one call at a time, at least 1"},
		{Name: "timeout", Kind: param.Duration, Default: "1s",
			Doc: "longest wait for a connection; 0s: refuse a call at once if no connection is " +
				"free"},
	},
	New: func(_ uint64, v param.Values) (Target, error) {
		conns := v.Int("conns")
		if conns < 1 {
			return nil, fmt.Errorf("conns: must be at least 1, got %d", conns)
		}
		return &connPool{timeout: v.Duration("timeout"), conns: conns, idle: conns}, nil
	},
})

// connPool lends its connections in order of arrival. A call that finds none waits, and is refused
// after the timeout. Any number of calls may wait, because callers without their own limit exhaust
// a service this way.
type connPool struct {
	delaying
	timeout time.Duration
	conns   int

	mu   sync.Mutex
	idle int
	line list.List // of *waiter, in order of arrival
}

type waiter struct {
	deadline time.Time
	granted  chan struct{} // closed when the call has a connection and has left the line
}

func (p *connPool) Call(ctx context.Context, seq uint64, work Work) error {
	if err := p.gone(ctx.Err()); err != nil {
		return err
	}
	if err := p.acquire(ctx); err != nil {
		return err
	}
	defer p.release() // deferred, because work may panic or end its goroutine
	p.admitted.Add(1)
	return work(ctx, seq)
}

func (p *connPool) acquire(ctx context.Context) error {
	p.mu.Lock()
	if p.idle > 0 {
		p.idle--
		p.mu.Unlock()
		return nil
	}
	if p.timeout == 0 {
		p.mu.Unlock()
		p.refused.Add(1)
		return &Throttled{Refusal: Unavailable}
	}
	w := &waiter{time.Now().Add(p.timeout), make(chan struct{})}
	at := p.line.PushBack(w)
	p.mu.Unlock()
	p.delayed.Add(1)

	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		if !p.leave(at) {
			p.release()
		}
		return p.gone(ctx.Err())
	case <-timer.C:
		if !p.leave(at) {
			return nil // granted before the deadline, but this goroutine was late
		}
		p.refused.Add(1)
		return &Throttled{Refusal: Unavailable}
	}
}

// leave returns false if the call already has a connection.
func (p *connPool) leave(at *list.Element) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-at.Value.(*waiter).granted:
		return false
	default:
		p.line.Remove(at)
		return true
	}
}

func (p *connPool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := p.line.Front(); at != nil; at = at.Next() {
		if w := at.Value.(*waiter); time.Until(w.deadline) > 0 {
			p.line.Remove(at)
			close(w.granted)
			return
		}
	}
	p.idle++
}

// Remaining may be 0 while calls wait and are not yet refused.
func (p *connPool) Quota() Quota {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Quota{Limit: p.conns, Remaining: p.idle}
}
