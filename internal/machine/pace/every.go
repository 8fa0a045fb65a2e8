package pace

import (
	"sync"
	"time"
)

// Every calls f now and each time that the interval is over from now on, until end, which waits for
// it. Its ticks are the runtime's, as late as they are.
func Every(interval time.Duration, f func()) (end func()) {
	tick := time.NewTicker(interval)
	return Each(tick.C, tick.Stop, f)
}

// Each calls f now and at each tick, until end, which waits for it; stop ends the ticks.
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
