package pace

import (
	"sync/atomic"
	"time"
)

// A runtimeTimer sleeps by a timer of the Go runtime: on all systems, and up to a millisecond late
// where the system waits for network and timers in milliseconds (go.dev/issue/53824).
type runtimeTimer struct {
	base  time.Time
	timer *time.Timer
	woken chan struct{} // has room for one
}

const runtimeMethod = "runtime"

func newRuntimeTimer(base time.Time) *runtimeTimer {
	return &runtimeTimer{base, time.NewTimer(time.Hour), make(chan struct{}, 1)}
}

func (t *runtimeTimer) sleep(at int64, called *atomic.Uint32) {
	t.timer.Reset(time.Duration(at) - time.Since(t.base))
	select {
	case <-t.timer.C:
	case <-t.woken: // perhaps by an answered call
	}
}

func (t *runtimeTimer) wake(*atomic.Uint32) {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

func (t *runtimeTimer) close() { t.timer.Stop() }
