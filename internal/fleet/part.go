package fleet

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/machine/pace"
)

// part is an agent's state for one load.
type part struct {
	serving  *serving
	id       string
	attack   attack.Attack
	starting chan time.Time
	started  bool                            // whether start was received; attack is then final
	taken    time.Time                       // when the offer was accepted
	beat     atomic.Int64                    // time of the last beat, in ns since taken
	began    atomic.Pointer[time.Time]       // start of the plan; nil before it
	progress atomic.Pointer[attack.Progress] // nil without progress
}

var (
	errSilent  = errors.New("it sent no message for too long")
	errStopped = errors.New("it was stopped")
)

func (p *part) serve() error {
	s := p.serving
	ctx, stop := context.WithCancelCause(s.ctx)
	defer stop(nil)
	sub, err := s.Conn.Subscribe(loadSubject+"."+p.id+".beat", func(m *nats.Msg) {
		p.beat.Store(int64(time.Since(p.taken)))
		if string(m.Data) == stopIt {
			stop(errStopped)
		}
	})
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	alive, end := context.WithCancel(s.ctx)
	defer end()
	defer pace.Every(s.Timing.Beat, func() {
		if time.Since(p.taken)-time.Duration(p.beat.Load()) > s.Timing.Silent {
			stop(errSilent)
			end()
		} else {
			p.pulse()
		}
	})()
	select {
	case p.attack.Start = <-p.starting:
	case <-ctx.Done():
		return nil // it was not started
	}
	start := p.attack.Start
	p.began.Store(&start)
	p.attack.Watch = func(now attack.Progress) { p.progress.Store(&now) }
	data, err := p.run(ctx)
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	if err != nil {
		data = append([]byte{failure}, err.Error()...)
	}
	return send(alive, s.Conn, loadSubject+"."+p.id+".share", s.Self.ID, data)
}

// failure is the first byte of a message that contains an error instead of a share.
const failure = 0

func (p *part) run(ctx context.Context) ([]byte, error) {
	share, err := p.serving.Attack(ctx, p.attack)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
			share = &attack.Share{Cut: cause.Error(), Began: p.attack.Start}
		} else {
			return nil, err
		}
	}
	// If the clock stood still, for example while the machine slept, the start differs from the
	// plan.
	share.Began = p.serving.clock().Add(-time.Since(share.Began))
	return share.AppendBinary(nil)
}

// The loss of a pulse does not matter.
func (p *part) pulse() {
	now := pulse{ID: p.serving.Self.ID}
	if is := p.progress.Load(); is != nil {
		now.Settled, now.Failed, now.Counts = is.Settled, is.Failed, is.Counts
	}
	if began := p.began.Load(); began != nil {
		now.Elapsed = max(time.Since(*began), 0)
	}
	_ = publish(p.serving.Conn, loadSubject+"."+p.id+".pulse", "", now)
}
