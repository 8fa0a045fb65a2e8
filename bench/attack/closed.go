package attack

import (
	"bufio"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// closed is the closed loop: each client sends, waits for the answer, and sends the next. A request is due when the answer before it has come, so response and
// service are one, and what a slow server keeps from being sent is in neither: it is for comparison with tools that work like this.
func (r *run) closed(ctx context.Context) {
	var seq atomic.Uint64
	var clients sync.WaitGroup
	until := int64(r.attack.Duration)
	wiring := r.caller.canWire(r.attack)
	if wiring {
		r.caller.wired = r.caller.encode()
	}
	for range r.attack.Clients {
		clients.Go(func() {
			c := client{run: r}
			if wiring {
				c.wire = &wire{caller: r.caller, reader: bufio.NewReader(nil)}
				defer c.hangUp()
			}
			for due := r.now(); ctx.Err() == nil && (until == 0 || due < until); {
				n := seq.Add(1) - 1
				if r.attack.Tasks > 0 && n >= uint64(r.attack.Tasks) {
					return
				}
				due = c.exchange(ctx, n, due)
			}
		})
	}
	clients.Wait()
	r.issued, r.tally.peak = r.tally.offered, r.attack.Clients
}

// A client of the closed loop makes one call after the other.
type client struct {
	*run
	wire *wire // nil: by http.Client
}

func (r *client) call(ctx context.Context, seq uint64) answer {
	if r.wire == nil {
		return r.caller.call(ctx, seq)
	}
	a := r.wire.call(ctx, seq)
	if errors.Is(a.err, errRedirect) { // so will the next
		r.hangUp()
		return r.caller.call(ctx, seq)
	}
	return a
}

// hangUp ends the wire, if there is one.
func (r *client) hangUp() {
	if r.wire != nil {
		r.wire.close()
		r.wire = nil
	}
}

// exchange makes one call and returns when the next one is due.
func (r *client) exchange(ctx context.Context, seq uint64, due int64) (next int64) {
	start := r.now()
	a := r.call(ctx, seq)
	end := r.now()
	s := r.sampleOf(ctx, seq, a)
	s.due, s.start, s.end, s.lag, s.busy, s.attempts = due, start, end, start-due, end-start, 1
	r.tally.add(s)
	if s.outcome == failed && s.status == 0 {
		pause(ctx, afterError)
		return r.now()
	}
	return end
}

// afterError is how long a client keeps still when it got no answer. Against a server that is not there it would otherwise
// spin, and run out of ports.
const afterError = 10 * time.Millisecond

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// sampleOf says what an answer says.
func (r *run) sampleOf(ctx context.Context, seq uint64, a answer) sample {
	req := &r.attack.Requests[seq%uint64(len(r.attack.Requests))]
	s := sample{seq: seq, method: req.Method, url: req.URL, status: a.status, in: a.in, out: a.out}
	switch {
	case a.err == nil:
		s.outcome = r.attack.outcomeOf(a.status)
	case ctx.Err() != nil:
		s.err, s.outcome = a.err.Error(), abandoned
	default:
		s.err, s.outcome = a.err.Error(), failed
	}
	return s
}
