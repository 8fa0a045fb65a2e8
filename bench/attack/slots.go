package attack

import (
	"context"
	"fmt"
	"math"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/internal/transport"
)

// slots limit the requests in flight of an open loop without a strategy: to the requested number,
// or otherwise to the capacity of file descriptors and memory.
type slots struct {
	taken chan struct{}
	why   string // the limit, if it was not requested: "as many as … allow"
	// the issuing goroutine waited for a slot and has not caught up since
	behind bool
	full   bool // it has waited
}

func (a Attack) newSlots() *slots {
	n, why := a.MaxInFlight, ""
	if n == Unlimited {
		n, why = a.maxInFlight()
	}
	return &slots{taken: make(chan struct{}, n), why: why}
}

// overdue means that the request was due when the issuing goroutine returned from the previous one.
// late reports that waiting for slots is the cause. A nil receiver has no limit.
func (s *slots) acquire(ctx context.Context, overdue bool) (late bool, err error) {
	if s == nil {
		return false, nil
	}
	s.behind = s.behind && overdue
	select {
	case s.taken <- struct{}{}:
		return s.behind, nil
	default:
	}
	s.behind, s.full = true, true
	select {
	case s.taken <- struct{}{}:
		return true, nil
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
}

func (s *slots) release() { <-s.taken }

func (s *slots) note(rec *bench.Recording) {
	if s == nil || !s.full || s.why == "" {
		return
	}
	rec.SetBound(cap(s.taken))
	rec.Doubts = append(rec.Doubts, result.Reason{Verdict: result.Suspect, Check: "in flight",
		Text: fmt.Sprintf("%d requests were in flight, %s: later requests had to wait, and their "+
			"response times include this wait", cap(s.taken), s.why)})
}

const (
	// of a request in flight on its own connection
	memoryOfRequest = 64 << 10
	// for files and the runtime
	spareDescriptors = 64
)

// maxInFlight allows half of the available memory.
func (a Attack) maxInFlight() (n int, why string) {
	n, why = math.MaxInt32, "the largest number that can be counted"
	if a.virtual { // connections are in memory
		return n, why
	}
	perConnection := 1
	switch {
	case a.HTTP3:
		perConnection = 0 // all share a socket
	case a.HTTP2 || a.H2C || a.protocol() != nil:
		if perConnection = a.Streams; perConnection == 0 {
			perConnection = transport.Default
		}
	}
	if limit, free := machine.Descriptors(); perConnection > 0 && limit > 0 {
		if free = max(free-spareDescriptors, 1); free < n/perConnection {
			n = free * perConnection
			why = fmt.Sprintf("the most that the %d file descriptors of this process allow", limit)
		}
	}
	if free := machine.Memory(); free > 0 && free/2/memoryOfRequest < int64(n) {
		n = max(int(free/2/memoryOfRequest), 1)
		why = fmt.Sprintf("the most that half of %s of available memory allows",
			text.Size(float64(free)))
	}
	return n, why
}
