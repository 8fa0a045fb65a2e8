package engine

import (
	"sync"

	"github.com/poolbench/poolbench/strategies"
)

// A Loop is the goroutine that reports the tasks of Pools. It takes all posted tasks at once, so
// under load many tasks share one wake-up and one lock.
type Loop struct {
	pools  *Pools
	mu     sync.Mutex
	wake   sync.Cond
	posted []completion
}

type completion struct {
	entry entry
	r     strategies.Result
}

// Start starts the goroutine.
func (l *Loop) Start(of *Pools) {
	l.pools, l.wake.L = of, &l.mu
	of.Alive.Go(l.Run)
}

func (l *Loop) post(e entry, r strategies.Result) {
	l.mu.Lock()
	l.posted = append(l.posted, completion{e, r})
	l.mu.Unlock()
	l.wake.Signal()
}

func (l *Loop) wakeUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake.Signal()
}

// Run reports tasks until the instance is idle. Posted tasks count as inside.
func (l *Loop) Run() {
	var batch []completion
	for {
		l.mu.Lock()
		for len(l.posted) == 0 {
			if l.pools.isIdle.Load() {
				l.mu.Unlock()
				return
			}
			l.wake.Wait()
		}
		batch, l.posted = l.posted, batch[:0]
		l.mu.Unlock()
		for i, c := range batch {
			batch[i] = completion{}
			l.pools.report(c.entry, c.r)
		}
	}
}
