package strategies

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// The head of a message: the instance that put it, its number there, and the task's ID.
const (
	headerSize = 24
	maxMessage = 512 << 10 // what all brokers take without being told
)

// label tells a message from all others.
type label struct{ instance, number uint64 }

// An errand is a task whose message is under way.
type errand struct {
	task    *Task
	running bool
	due     time.Time // of the next attempt, where one has asked for it
}

// brokered is a running Broker.
type brokered struct {
	lifecycle
	broker  Broker
	retries retries
	bytes   int
	find    func(id uint64) *Task
	itself  uint64 // tells the messages of this instance from those of others
	count   atomic.Uint64
	worked  chan struct{} // closed when Work has returned

	mu      sync.Mutex
	errands map[label]errand
	failed  error // of the first reply that did not reach the broker
	failing int   // of such replies
}

// Start makes the strategy. It panics unless Put and Work are there.
func (b Broker) Start(ctx context.Context, p Params, sink Sink) Strategy {
	if b.Put == nil || b.Work == nil {
		panic("strategies: a Broker needs Put and Work")
	}
	s := &brokered{broker: b, retries: newRetries(p), bytes: int(p.Values.Size("bytes")),
		itself: rand.Uint64(), worked: make(chan struct{}), errands: make(map[label]errand)}
	if p.Resume != nil {
		s.find = p.Resume.Task
	}
	s.drop = s.abandonWaiting
	s.atEnd = func() { s.alive.Go(s.end) }
	s.open(ctx, retrySink{nil, sink}, nil)
	go func() {
		defer close(s.worked)
		b.Work(s.ctx, p.Limit, s.deliver)
	}()
	return s
}

// end waits for the last replies.
func (s *brokered) end() {
	<-s.worked
	if s.broker.Close != nil {
		if err := s.broker.Close(); err != nil {
			s.note(err)
		}
	}
}

// Drain implements Strategy. Its error also says how many messages the broker was not told the end
// of: they are delivered again, to whom comes next.
func (s *brokered) Drain(ctx context.Context) error {
	err := s.lifecycle.Drain(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		err = errors.Join(err, fmt.Errorf("%d messages were not settled with the broker, the "+
			"first: %w", s.failing, s.failed))
	}
	return err
}

// DeadLetters counts the dead letters of the queue. Callers find it by an assertion.
func (s *brokered) DeadLetters(ctx context.Context) (int, error) {
	if s.broker.Dead == nil {
		return 0, errors.ErrUnsupported
	}
	return s.broker.Dead(ctx)
}

// Submit implements Strategy. A message may be delivered before its Put returns, and even if that
// fails: then the task is accepted if it has been started, and else the message has nobody.
func (s *brokered) Submit(ctx context.Context, t *Task) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	l := label{s.itself, s.count.Add(1) - 1}
	t.tries = tries{ordinal: l.number}
	body := make([]byte, s.bytes)
	binary.BigEndian.PutUint64(body, l.instance)
	binary.BigEndian.PutUint64(body[8:], l.number)
	binary.BigEndian.PutUint64(body[16:], t.ID)
	s.mu.Lock()
	s.errands[l] = errand{task: t}
	s.mu.Unlock()
	if err := s.broker.Put(ctx, body); err != nil && s.forget(l) {
		s.leave()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	if s.ctx.Err() != nil {
		s.sweep()
	}
	return nil
}

// forget takes an errand back, unless it has been started.
func (s *brokered) forget(l label) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, there := s.errands[l]
	if !there || e.running {
		return false
	}
	delete(s.errands, l)
	return true
}

// abandonWaiting settles the tasks that do not run. Their messages stay where they are.
func (s *brokered) abandonWaiting() {
	s.mu.Lock()
	var waiting []*Task
	for l, e := range s.errands {
		if !e.running {
			waiting = append(waiting, e.task)
			delete(s.errands, l)
		}
	}
	s.mu.Unlock()
	for _, t := range waiting {
		s.settle(t, Result{Err: s.giveUpOn(t)})
	}
}
