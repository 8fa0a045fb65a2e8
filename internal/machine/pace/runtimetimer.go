package pace

import (
	"sync/atomic"
	"time"
)

type runtimeTimer struct {
	base  time.Time
	timer *time.Timer
	woken chan struct{} // its buffer has room for one element
}

const runtimeMethod = "runtime"

func newRuntimeTimer(base time.Time) *runtimeTimer {
	return &runtimeTimer{base, time.NewTimer(time.Hour), make(chan struct{}, 1)}
}

func (t *runtimeTimer) sleep(at int64, called *atomic.Uint32) {
	t.timer.Reset(time.Duration(at) - time.Since(t.base))
	select {
	case <-t.timer.C:
	case <-t.woken: // possibly from an answered call
	}
}

func (t *runtimeTimer) wake(*atomic.Uint32) {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

func (t *runtimeTimer) close() { t.timer.Stop() }
