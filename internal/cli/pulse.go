package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench"
)

// everyPulse calls f now and every PulseInterval from now on, until end, which waits for it.
func everyPulse(f func()) (end func()) {
	var calling sync.WaitGroup
	ended := make(chan struct{})
	calling.Go(func() {
		tick := time.NewTicker(bench.PulseInterval)
		defer tick.Stop()
		for {
			f()
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
	})
	return func() { close(ended); calling.Wait() }
}

// A listener hears what a child says of a scenario.
type listener struct {
	said   message // the last
	err    error   // why there is no last
	pulses atomic.Uint64
	done   chan struct{} // closed when said or err is there
	end    func()
}

// listen begins to hear the messages about one scenario. giveUp is called with the reason when
// patience is at its end.
func listen(
	messages *json.Decoder, patience *bench.Patience, giveUp context.CancelCauseFunc,
) *listener {
	l := &listener{done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			l.said = message{}
			if l.err = messages.Decode(&l.said); l.err != nil || l.said.Pulse == nil {
				return
			}
			l.pulses.Add(1)
			if err := patience.Hear(*l.said.Pulse); err != nil {
				giveUp(err)
			}
		}
	}()
	// Silence is counted in ticks: a process that has stood still itself is not to blame the child.
	var silence time.Duration
	var heard uint64
	l.end = everyPulse(func() {
		silence += bench.PulseInterval
		if n := l.pulses.Load(); n != heard {
			silence, heard = 0, n
		}
		if silence > patience.Silence() {
			giveUp(fmt.Errorf("no sign of life in %v", patience.Silence()))
		}
	})
	return l
}
