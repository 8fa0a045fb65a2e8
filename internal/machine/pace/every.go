package pace

import (
	"sync"
	"time"
)

// Every calls f now and after each interval, until end, which waits for it. It uses the runtime's
// ticks, with their delays.
func Every(interval time.Duration, f func()) (end func()) {
	tick := time.NewTicker(interval)
	return Each(tick.C, tick.Stop, f)
}

// Each calls f now and at each tick, until end, which waits for it. stop ends the ticks.
func Each[Tick any](ticks <-chan Tick, stop, f func()) (end func()) {
	var calling sync.WaitGroup
	ended := make(chan struct{})
	calling.Go(func() {
		defer stop()
		for {
			f()
			select {
			case <-ticks:
			case <-ended:
				return
			}
		}
	})
	return func() { close(ended); calling.Wait() }
}
