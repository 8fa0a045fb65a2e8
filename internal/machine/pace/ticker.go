package pace

import "time"

// A Ticker uses no timer of the runtime. While such a timer is set, every goroutine switch reads
// the clock, which slows down runs under the virtual clock.
type Ticker struct {
	C     <-chan struct{} // missed ticks are dropped
	pacer *Pacer
	done  chan struct{}
}

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

// Stop must be called once.
func (t *Ticker) Stop() { close(t.done); t.pacer.Interrupt() }
