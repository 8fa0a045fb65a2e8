package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

// The header has the instance that put the message, its number there, and the task's ID.
const (
	headerSize = 24
	maxMessage = 512 << 10 // accepted by all brokers in their default configuration
)

type label struct{ instance, number uint64 }

type pendingTask struct {
	task    *strategies.Task
	running bool
	due     time.Time // time of the next attempt; zero without a retry
}

type brokered struct {
	Lifecycle
	broker     Broker
	retries    Retries
	bytes      int
	find       func(id uint64) *strategies.Task
	instanceID uint64 // identifies the messages of this instance
	puts       atomic.Uint64
	worked     chan struct{} // closed when Work has returned
	fault
	accepted atomic.Int64 // includes tasks recovered from an earlier process
	putting  atomic.Int64 // Puts in progress

	mu      sync.Mutex
	pending map[label]pendingTask
	failed  error // error of the first reply that did not reach the broker

	unsettled int // number of replies that did not reach the broker
}

// Start returns the strategy. It panics unless Put and Work are set.
func (b Broker) Start(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) strategies.Strategy {
	if b.Put == nil || b.Work == nil {
		panic("strategies: a Broker needs Put and Work")
	}
	s := &brokered{broker: b, retries: NewRetries(p), bytes: int(p.Values.Size("bytes")),
		instanceID: rand.Uint64(), worked: make(chan struct{}), pending: make(map[label]pendingTask)}
	if p.Resume != nil {
		s.find = p.Resume.Task
	}
	s.Drop = s.abandonWaiting
	s.AtEnd = func() { s.Alive.Go(s.end) }
	s.failing, s.fail = context.WithCancelCause(context.Background())
	s.onFault = p.OnFault
	s.Open(ctx, RetrySink{Sink: sink}, nil)
	s.Alive.Go(s.watch)
	go func() {
		defer close(s.worked)
		b.Work(s.Ctx, p.Limit, s.deliver)
	}()
	return s
}

// end waits for the last replies, but at most faultGrace after a failure of the store.
func (s *brokered) end() {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-s.worked
		if s.broker.Close != nil {
			if err := s.broker.Close(); err != nil {
				s.noteError(err)
			}
		}
	}()
	select {
	case <-closed:
		return
	case <-s.failing.Done():
	}
	select {
	case <-closed:
	case <-time.After(faultGrace):
	}
}

// The error of Drain includes the number of messages without a reply, which will be delivered
// again. After a store failure it is a *StoreError.
func (s *brokered) Drain(ctx context.Context) error {
	if s.failing.Err() != nil { // faultGrace limits the wait instead
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.failing, func() { time.AfterFunc(faultGrace, cancel) })()
	err := s.Lifecycle.Drain(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing.Err() != nil {
		return s.drainError()
	}
	if s.failed != nil {
		err = errors.Join(err, fmt.Errorf("%d messages were not settled with the broker, the "+
			"first: %w", s.unsettled, s.failed))
	}
	return err
}

func (s *brokered) DeadLetters(ctx context.Context) (int, error) {
	if s.broker.Dead == nil {
		return 0, errors.ErrUnsupported
	}
	return s.broker.Dead(ctx)
}

// A message may be delivered before its Put returns, even if Put fails. If its task has started by
// then, the task is accepted.
func (s *brokered) Submit(ctx context.Context, t *strategies.Task) error {
	if err := s.Enter(ctx); err != nil {
		return s.faultOr(err)
	}
	l := label{s.instanceID, s.puts.Add(1) - 1}
	t.Scratch().Tries = strategies.AttemptState{Ordinal: l.number}
	body := make([]byte, s.bytes)
	binary.BigEndian.PutUint64(body, l.instance)
	binary.BigEndian.PutUint64(body[8:], l.number)
	binary.BigEndian.PutUint64(body[16:], t.ID)
	s.mu.Lock()
	s.pending[l] = pendingTask{task: t}
	s.mu.Unlock()
	s.putting.Add(1)
	err := s.broker.Put(ctx, body)
	if err == nil || !s.forget(l) {
		err = nil
		s.accepted.Add(1)
	}
	s.putting.Add(-1)
	if s.Ctx.Err() != nil {
		s.Sweep()
	}
	if err != nil {
		s.Leave()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.faultOr(err)
	}
	return nil
}

func (s *brokered) forget(l label) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, there := s.pending[l]
	if !there || e.running {
		return false
	}
	delete(s.pending, l)
	return true
}

// abandonWaiting leaves the messages in the store. After a fault the last Put that returns calls
// it, because only then is it known which tasks the store accepted.
func (s *brokered) abandonWaiting() {
	failed := s.failing.Err() != nil
	if failed && s.putting.Load() > 0 {
		return
	}
	s.mu.Lock()
	var waiting []*strategies.Task
	for l, e := range s.pending {
		if !e.running {
			waiting = append(waiting, e.task)
			delete(s.pending, l)
		}
	}
	s.mu.Unlock()
	if failed {
		s.held.Add(int64(len(waiting)))
	}
	for _, t := range waiting {
		s.Settle(t, strategies.Result{Err: s.GiveUpOn(t)})
	}
}
