package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// faultGrace limits the wait for pending calls to a failed store, and then for its Close.
const faultGrace = 500 * time.Millisecond

type fault struct {
	failing context.Context // ends with a *StoreError as its cause
	fail    context.CancelCauseFunc
	onFault func(*strategies.StoreError)
	held    atomic.Int64  // tasks that were not done when the store failed
	lost    atomic.Int64  // tasks among held whose message the store has lost
	replies atomic.Uint64 // number of replies
}

func (s *brokered) faultOr(err error) error {
	if fault := context.Cause(s.failing); fault != nil {
		return fault
	}
	return err
}

func (s *brokered) watch() {
	ctx, cancel := context.WithCancel(s.Ctx)
	defer cancel()
	failed := make(chan error, 2)
	if s.broker.Watch != nil {
		s.Alive.Go(func() { failed <- s.broker.Watch(ctx) })
	}
	if s.broker.Stored != nil {
		s.Alive.Go(func() { failed <- s.audit(ctx) })
	}
	select {
	case err := <-failed:
		if err == nil {
			return
		}
		e := &strategies.StoreError{Cause: err}
		s.fail(e)
		if s.onFault != nil {
			s.onFault(e)
		}
		s.Cancel(e)
	case <-ctx.Done():
	}
}

// Waiting tasks count as lost after maxAudits successive audits that found the store empty.
const (
	auditInterval = time.Second
	maxAudits     = 3
)

// ErrGone is in the cause of a StoreError if the store no longer exists.
var ErrGone = errors.New("its files are gone")

// ErrLost is the cause of a StoreError if a store has lost messages without an error.
var ErrLost = errors.New("it contains no messages, but some were never delivered")

// audit returns an error when the store is empty while tasks wait for messages.
func (s *brokered) audit(ctx context.Context) error {
	tick := time.NewTicker(auditInterval)
	defer tick.Stop()
	last, looks := s.replies.Load(), 0
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if now := s.replies.Load() + uint64(s.accepted.Load()); now != last {
			last, looks = now, 0
			continue
		}
		waiting := s.waiting()
		if waiting == 0 || !s.isEmpty(ctx) {
			looks = 0
			continue
		}
		if looks++; looks == maxAudits {
			s.lost.Store(int64(waiting))
			return ErrLost
		}
	}
}

// isEmpty returns at the end of ctx even if the query does not.
func (s *brokered) isEmpty(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, auditInterval)
	defer cancel()
	empty := make(chan bool, 1)
	go func() {
		n, err := s.broker.Stored(ctx)
		empty <- err == nil && n == 0
	}()
	select {
	case is := <-empty:
		return is
	case <-ctx.Done():
		return false
	}
}

func (s *brokered) waiting() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.putting.Load() > 0 {
		return 0
	}
	for _, e := range s.pending {
		if e.running || time.Until(e.due) > 0 {
			return 0
		}
		n++
	}
	return n
}

func (s *brokered) Stored(ctx context.Context) (int, error) {
	if s.broker.Stored == nil {
		return 0, errors.ErrUnsupported
	}
	return s.broker.Stored(ctx)
}

// The caller holds mu.
func (s *brokered) drainError() *strategies.StoreError {
	e, _ := errors.AsType[*strategies.StoreError](context.Cause(s.failing))
	sum := &strategies.StoreError{
		Cause:     e.Cause,
		Accepted:  int(s.accepted.Load()),
		Stored:    int(s.held.Load()),
		Lost:      int(s.lost.Load()),
		Unsettled: s.unsettled,
	}
	sum.Stored += len(s.pending) // tasks that still run, or whose Put has not returned
	sum.Stored -= sum.Lost
	if errors.Is(e, ErrGone) {
		sum.Stored, sum.Lost, sum.Unsettled = 0, sum.Stored, 0
	}
	return sum
}
