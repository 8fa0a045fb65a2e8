package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/progress"
)

type listener struct {
	said   message // last message
	err    error   // why there is no last message
	pulses atomic.Uint64
	done   chan struct{} // closed when said or err is set
	end    func()
}

// listen calls giveUp with the reason when hang ends, and soFar with the interim results of a soak.
func listen(
	messages *json.Decoder, hang *progress.Detector, giveUp context.CancelCauseFunc,
	soFar func(*bench.Result),
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
			if l.said.SoFar != nil && soFar != nil {
				soFar(l.said.SoFar)
			}
			if err := hang.Observe(*l.said.Pulse); err != nil {
				giveUp(err)
			}
		}
	}()
	// Silence is counted in ticks, so a pause of this process does not count against the child.
	var silence time.Duration
	var heard uint64
	l.end = pace.Every(progress.Interval, func() {
		silence += progress.Interval
		if n := l.pulses.Load(); n != heard {
			silence, heard = 0, n
		}
		if silence > hang.Silence() {
			giveUp(fmt.Errorf("no heartbeat in %v", hang.Silence()))
		}
	})
	return l
}
