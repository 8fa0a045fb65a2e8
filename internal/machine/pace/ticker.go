package pace

import "time"

// A Ticker ticks by the poller, and not by a timer of the runtime: where one of those is set, each
// of the switches between goroutines that a run under the virtual clock is made of looks at the
// clock for it.
type Ticker struct {
	C     <-chan struct{} // what nobody takes is not made up for
	pacer *Pacer
	done  chan struct{}
}

// NewTicker ticks each time that the interval is over, until Stop.
func NewTicker(interval time.Duration) *Ticker {
	c := make(chan struct{})
	t := &Ticker{C: c, pacer: NewPacer(time.Now()), done: make(chan struct{})}
	go func() {
		defer t.pacer.Close()
		for at := interval; t.pacer.Until(at) >= at; {
			select {
			case c <- struct{}{}:
			case <-t.done:
				return
			}
			if at += interval; at < t.pacer.since() {
				at = t.pacer.since() + interval
			}
		}
	}()
	return t
}

func (p *Pacer) since() time.Duration { return time.Duration(p.now()) }

// Stop ends the ticks. It is called once.
func (t *Ticker) Stop() { close(t.done); t.pacer.Interrupt() }
