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

	"github.com/poolbench/poolbench/bench/param"
)

// A Broker is somebody else's durable queue as a strategy needs to know it, and Start makes that
// strategy. Package durable has seven:
//
//	Open: func(ctx context.Context, p strategies.Params, sink strategies.Sink) (strategies.Strategy, error) {
//		queue, err := mine.Dial(p.Values.Text("queue"))
//		if err != nil {
//			return nil, err
//		}
//		return strategies.Broker{Put: queue.Publish, Work: queue.consume, Close: queue.Close}.Start(ctx, p, sink), nil
//	}
//
// Submit returns when the broker has confirmed the message, and a consumer runs the task and
// acknowledges after it. The message says which task it is; the task itself, which is a func and no
// data, is found in the process by that number. So an instance runs the tasks that were submitted
// to it, and with Params.Resume those that an earlier process has left.
//
// The contract is kept here: each task is done once in this process, however often its message is
// delivered; one that is given up is done with the error of that, and its message stays; attempts
// are counted, and after the last one the message becomes a dead letter. So is that of a task that
// panics or ends its goroutine, and of one that an earlier process has tried as often, which is the
// task that kills its process. It costs some 300 ns a task.
type Broker struct {
	// Put keeps a message, and returns when it would outlive this process. It copies body. An error
	// refuses the task, and is Submit's.
	Put func(ctx context.Context, body []byte) error
	// Work has do called for each message, at most limit at a time, until ctx ends and all these
	// calls have returned. It stands errors of the broker, and goes on when it is there again. Of
	// these goroutines do may end one (runtime.Goexit), after it has replied.
	Work func(ctx context.Context, limit int, do func(Message))
	// Close is called once, after Work has returned and all Puts; nil: nothing is to be closed.
	Close func() error
	// Dead counts the dead letters; nil: the broker cannot.
	Dead func(ctx context.Context) (int, error)
}

// A Message is one delivery of what was put. Its lease is kept alive by the broker's side until it
// is replied to.
type Message interface {
	Body() []byte
	// Attempt counts the deliveries of this message, the first is 1. A broker may have counted
	// some that nobody saw.
	Attempt() int
	// Reply tells the broker what becomes of the message. It is called once.
	Reply(Reply) error
}

// A Reply is what becomes of a message. The zero Reply acknowledges it: it is never seen again.
type Reply struct {
	Again bool          // it is to be delivered again,
	After time.Duration // not before that
	Dead  error         // why it becomes a dead letter; nil: it does not
}

// Resume has an instance of a durable strategy go on where another process has ended.
type Resume struct {
	// Name is of the queue, in letters, digits and underscores. Instances of one name, one after
	// another, share it; two at a time must not.
	Name string
	// Remove has the queue removed when this instance has ended; otherwise it is kept.
	Remove bool
	// Task returns the task with that Task.ID, which an earlier process has submitted; nil: there
	// is none any more, and its message becomes a dead letter. The sink is told of it as of others.
	// Where a process was killed it may have run before.
	Task func(id uint64) *Task
}

// BrokerKeys are the parameters of every strategy with a Broker, and those of its own.
func BrokerKeys(more ...param.Key) []param.Key {
	return append(retryKeys(param.Key{Name: "bytes", Kind: param.Size, Default: "256",
		Doc: "size of a message; 24 of them say which task it is"}), more...)
}

// CheckBroker is a Spec.Check, or a part of one: of BrokerKeys and of Params.Resume.
func CheckBroker(p Params) error {
	if n := p.Values.Size("bytes"); n < headerSize || n > maxMessage {
		return fmt.Errorf("bytes %d: want %d to %d", n, headerSize, maxMessage)
	}
	if r := p.Resume; r != nil {
		if r.Task == nil {
			return errors.New("resume: a func that finds tasks is missing")
		}
		if !isQueueName(r.Name) {
			return fmt.Errorf("resume: a queue is named by letters, digits and underscores, "+
				"not %q", r.Name)
		}
	}
	return checkRetries(p)
}

func isQueueName(name string) bool {
	for _, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '_' {
			return false
		}
	}
	return name != "" && len(name) <= 48
}

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

// What Reply.Dead says of messages without a run.
var (
	errForeign = errors.New("not a message of poolbench")
	errUnknown = errors.New("there is no task of that ID any more")
)

// deliver is called by the broker's side, for each delivery.
func (s *brokered) deliver(m Message) {
	body := m.Body()
	if len(body) < headerSize {
		s.reply(m, Reply{Dead: errForeign})
		return
	}
	l := label{binary.BigEndian.Uint64(body), binary.BigEndian.Uint64(body[8:])}
	t, elsewise := s.claim(l)
	if t == nil && elsewise.Dead == errUnknown && s.find != nil {
		t, elsewise = s.recover(m, l, binary.BigEndian.Uint64(body[16:]))
	}
	if t == nil {
		s.reply(m, elsewise)
		return
	}
	r, returned := Result{}, false
	defer func() {
		if !returned {
			r = failure(recover())
		}
		s.conclude(m, l, t, r)
	}()
	if t.tries.made >= s.retries.attempts { // each of them has killed its process
		r = Result{Retry: true}
	} else {
		r = s.run(t)
	}
	returned = true
}

// claim finds the task that a message is about, and marks it as running; or says what the message
// is replied instead.
func (s *brokered) claim(l label) (*Task, Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, there := s.errands[l]
	switch {
	case s.ctx.Err() != nil:
		return nil, Reply{Again: true}
	case there && e.running: // a lease has run out, or an attempt was taken for lost
		return nil, Reply{Again: true, After: time.Second}
	case there && time.Until(e.due) > 0:
		return nil, Reply{Again: true, After: time.Until(e.due)}
	case there:
		s.errands[l] = errand{task: e.task, running: true}
		return e.task, Reply{}
	case l.instance == s.itself: // done before, or refused
		return nil, Reply{}
	}
	return nil, Reply{Dead: errUnknown}
}

// recover is claim for a message that an earlier process has left.
func (s *brokered) recover(m Message, l label, id uint64) (*Task, Reply) {
	t := s.find(id)
	if t == nil {
		return nil, Reply{Dead: errUnknown}
	}
	if s.enter(context.Background()) != nil {
		return nil, Reply{Again: true, After: time.Second}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.errands[l]; there { // delivered twice at the same time
		s.leave()
		return nil, Reply{Again: true, After: time.Second}
	}
	// the attempts of the processes before; this one is not counted yet
	t.tries = tries{ordinal: l.number, made: m.Attempt() - 1}
	s.errands[l] = errand{task: t, running: true}
	return t, Reply{}
}

// conclude replies to the message of a task that has been run, and settles the task, unless it is
// to be run again.
func (s *brokered) conclude(m Message, l label, t *Task, r Result) {
	var reply Reply
	var panicked *PanicError
	switch {
	case r.Err != nil && s.ctx.Err() != nil: // it was cancelled
		reply.Again = true
	case r.Retry:
		wait, err := s.retries.next(t, r)
		if err == nil {
			s.mu.Lock()
			s.errands[l] = errand{task: t, due: time.Now().Add(wait)}
			s.mu.Unlock()
			s.reply(m, Reply{Again: true, After: wait})
			if s.ctx.Err() != nil {
				s.sweep()
			}
			return
		}
		r, reply.Dead = Result{Err: err}, err
	case errors.As(r.Err, &panicked) || r.Err == ErrGoexit:
		reply.Dead = r.Err
	}
	s.reply(m, reply)
	s.mu.Lock()
	delete(s.errands, l)
	s.mu.Unlock()
	s.settle(t, r)
}

// reply tells the broker. What it was not told of will be delivered again.
func (s *brokered) reply(m Message, r Reply) {
	if err := m.Reply(r); err != nil {
		s.note(err)
	}
}

func (s *brokered) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failing++; s.failed == nil {
		s.failed = err
	}
}
