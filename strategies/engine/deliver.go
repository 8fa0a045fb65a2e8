package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

var (
	errForeign = errors.New("not a message of poolbench")
	errUnknown = errors.New("there is no task of that ID any more")
)

func (s *brokered) deliver(m Message) {
	body := m.Body()
	if len(body) < headerSize {
		s.reply(m, Reply{Dead: errForeign})
		return
	}
	l := label{binary.BigEndian.Uint64(body), binary.BigEndian.Uint64(body[8:])}
	t, reply := s.claim(l)
	if t == nil && reply.Dead == errUnknown && s.find != nil {
		t, reply = s.recover(m, l, binary.BigEndian.Uint64(body[16:]))
	}
	if t == nil {
		s.reply(m, reply)
		return
	}
	Conclude(func() strategies.Result {
		if t.Scratch().Tries.Made >= s.retries.Attempts { // each attempt has killed its process
			return strategies.Result{Retry: true}
		}
		return s.Run(t)
	}, func(r strategies.Result, _ bool) { s.conclude(m, l, t, r) })
}

// If there is no task to run, claim returns the Reply.
func (s *brokered) claim(l label) (*strategies.Task, Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, there := s.pending[l]
	switch {
	case s.Ctx.Err() != nil:
		return nil, Reply{Again: true}
	case there && e.running: // a lease has expired, or the broker takes a running attempt for lost
		return nil, Reply{Again: true, After: time.Second}
	case there && time.Until(e.due) > 0:
		return nil, Reply{Again: true, After: time.Until(e.due)}
	case there:
		s.pending[l] = pendingTask{task: e.task, running: true}
		return e.task, Reply{}
	case l.instance == s.instanceID: // the task is done or was refused
		return nil, Reply{}
	}
	return nil, Reply{Dead: errUnknown}
}

func (s *brokered) recover(m Message, l label, id uint64) (*strategies.Task, Reply) {
	t := s.find(id)
	if t == nil {
		return nil, Reply{Dead: errUnknown}
	}
	if s.Enter(context.Background()) != nil {
		return nil, Reply{Again: true, After: time.Second}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.pending[l]; there { // two deliveries at the same time
		s.Leave()
		return nil, Reply{Again: true, After: time.Second}
	}
	// Made excludes the current attempt.
	t.Scratch().Tries = strategies.AttemptState{Ordinal: l.number, Made: m.Attempt() - 1}
	s.pending[l] = pendingTask{task: t, running: true}
	s.accepted.Add(1)
	return t, Reply{}
}

func (s *brokered) conclude(m Message, l label, t *strategies.Task, r strategies.Result) {
	var reply Reply
	var panicked *strategies.PanicError
	switch {
	case r.Err != nil && s.Ctx.Err() != nil: // the attempt was cancelled
		reply.Again = true
		if s.failing.Err() != nil {
			s.held.Add(1)
		}
	case r.Retry:
		wait, err := s.retries.Next(t, r)
		if err == nil {
			s.mu.Lock()
			s.pending[l] = pendingTask{task: t, due: time.Now().Add(wait)}
			s.mu.Unlock()
			s.reply(m, Reply{Again: true, After: wait})
			if s.Ctx.Err() != nil {
				s.Sweep()
			}
			return
		}
		r, reply.Dead = strategies.Result{Err: err}, err
	case errors.As(r.Err, &panicked) || r.Err == strategies.ErrGoexit:
		reply.Dead = r.Err
	}
	s.reply(m, reply)
	s.mu.Lock()
	delete(s.pending, l)
	s.mu.Unlock()
	s.Settle(t, r)
}

func (s *brokered) reply(m Message, r Reply) {
	s.replies.Add(1)
	if fault := context.Cause(s.failing); fault != nil {
		if !r.Again {
			s.noteError(fault)
		}
	} else if err := m.Reply(r); err != nil {
		s.noteError(err)
	}
}

func (s *brokered) noteError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsettled++; s.failed == nil {
		s.failed = err
	}
}
