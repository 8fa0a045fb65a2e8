package pace

import (
	"sync"
	"time"
)

// Every calls f now and after each interval, until end is called. end waits for f. The ticks have
// the lateness of the runtime's timers.
func Every(interval time.Duration, f func()) (end func()) {
	tick := time.NewTicker(interval)
	return Each(tick.C, tick.Stop, f)
}

// end waits for f. stop ends the ticks.
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
