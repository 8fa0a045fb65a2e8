package durable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

var _ = register(strategies.Spec{
	Name: "rabbitmq",
	Summary: "a queue of RabbitMQ: published with confirms, consumed with as many messages " +
		"unacknowledged as the limit",
	UseIf: "RabbitMQ is there already, or other programs take part, and some thousand a second " +
		"are enough; a task takes less than the server's consumer_timeout (30 minutes)",
	Source: "github.com/rabbitmq/amqp091-go",
	FIFO:   true,
	Keys: []param.Key{{Name: "queue", Kind: param.Choice, Default: "quorum",
		Choices: []string{"classic", "quorum"},
		Doc: "quorum: an fsync before the confirm, on a majority of the nodes; classic: on one " +
			"node, and when it is on the disk there depends on the version"}},
	Durability: func(p strategies.Params) strategies.Durability {
		if p.Values.Choice("queue") == "quorum" {
			return strategies.PowerSafe
		}
		return strategies.KillSafe
	},
	Needs: RabbitMQ.Product,
	Ready: RabbitMQ.Ready,
	Open:  openRabbitMQ,
})

const (
	confirming   = 5 * time.Second // a confirm takes no longer
	redialling   = 100 * time.Millisecond
	unconfirmed  = 1024 // messages at most that are not confirmed
	mostPrefetch = 1<<16 - 1
)

// A rabbitQueue is a queue, one for messages that wait for another attempt and one for dead
// letters. There is no lease: the server delivers again what was not acknowledged when the
// connection ends.
//
// Messages that wait are in a queue of their own, which this process reads, holds and puts back in
// time, each acknowledged after the confirm of its copy. A negative acknowledgement when the time
// has come would need no such queue, but those that are held would use up the prefetch: as many as
// the limit would stop all others. And a time to live on the server costs a queue for each length
// of it, and moves messages without a confirm. The copy has the count of the attempts: classic
// queues keep none, and quorum queues of RabbitMQ 4 drop a message after 20.
type rabbitQueue struct {
	name, later, dead string
	kind              string
	prefetch          int
	remove            bool
	id                string // its messages' begin with it
	count             atomic.Uint64

	mu     sync.Mutex
	now    *rabbitSession // nil: none yet
	failed time.Time      // of the last attempt to have another
	why    error          // it failed
	// messages that are settled, but the connection ended before the server was told: it is, when
	// they come again
	owed map[string]bool
}

// A rabbitSession is what ends together, and is made anew: a connection to publish and one to
// consume, since a server that is short of memory stops to read those that publish.
type rabbitSession struct {
	conns      []*amqp.Connection
	out, in    *amqp.Channel
	deliveries <-chan amqp.Delivery
	laters     <-chan amqp.Delivery

	// One channel publishes for all, and each waits for its own confirm: 16 channels took 16
	// submitters no more than a quarter further.
	room    chan struct{}
	returns chan amqp.Return
	mu      sync.Mutex
	refused map[string]string // the reasons for those that came back
}

func openRabbitMQ(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	name := queueName(p)
	q := &rabbitQueue{name: name, later: name + "_later", dead: name + "_dead",
		kind: p.Values.Choice("queue"), prefetch: min(p.Limit, mostPrefetch), id: rand.Text(),
		owed: make(map[string]bool)}
	if _, err := q.session(); err != nil {
		return nil, err
	}
	q.remove = temporary(p)
	return strategies.Broker{Put: q.put, Work: q.work, Close: q.close, Dead: q.letters}.Start(
		ctx, p, sink), nil
}

// session returns the one there is, or another when that has ended.
func (q *rabbitQueue) session() (*rabbitSession, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.now != nil && !q.now.ended() {
		return q.now, nil
	}
	if time.Since(q.failed) < redialling {
		return nil, q.why
	}
	if q.now != nil {
		_ = q.now.close(redialling) // one half of it may be there
	}
	s := &rabbitSession{room: make(chan struct{}, unconfirmed), refused: make(map[string]string)}
	if err := s.open(q); err != nil {
		_ = s.close(redialling)
		q.now, q.failed, q.why = nil, time.Now(), RabbitMQ.tell(err)
		return nil, q.why
	}
	q.now = s
	return s, nil
}

func (s *rabbitSession) open(q *rabbitQueue) (err error) {
	if s.out, err = s.dial(); err != nil {
		return err
	}
	for _, name := range []string{q.name, q.later, q.dead} {
		_, err := s.out.QueueDeclare(name, true, false, false, false, amqp.Table{
			"x-queue-type": q.kind})
		if err != nil {
			return err
		}
	}
	if err := s.out.Confirm(false); err != nil {
		return err
	}
	s.returns = s.out.NotifyReturn(make(chan amqp.Return, unconfirmed))
	if s.in, err = s.dial(); err != nil {
		return err
	}
	s.laters, err = s.in.Consume(q.later, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	if err := s.in.Qos(q.prefetch, 0, false); err != nil { // of the next consumer
		return err
	}
	s.deliveries, err = s.in.Consume(q.name, "", false, false, false, false, nil)
	return err
}

func (s *rabbitSession) dial() (*amqp.Channel, error) {
	conn, err := amqp.DialConfig(RabbitMQ.address(), amqp.Config{Heartbeat: 3 * time.Second,
		Properties: amqp.Table{"connection_name": "poolbench"},
		Dial:       amqp.DefaultDial(3 * time.Second)})
	if err != nil {
		return nil, err
	}
	s.conns = append(s.conns, conn)
	return conn.Channel()
}

func (s *rabbitSession) ended() bool { return s.out.IsClosed() || s.in.IsClosed() }

func (s *rabbitSession) close(within time.Duration) error {
	var all error
	for _, conn := range slices.Backward(s.conns) {
		err := conn.CloseDeadline(time.Now().Add(within))
		if !errors.Is(err, amqp.ErrClosed) {
			all = errors.Join(all, err)
		}
	}
	return all
}

func (q *rabbitQueue) close() error {
	q.mu.Lock()
	ended := q.now == nil || q.now.ended()
	q.mu.Unlock()
	var owed error
	if n := q.owes(); n > 0 && !q.remove {
		owed = fmt.Errorf("RabbitMQ: %d messages are delivered again: the connection ended before "+
			"they were acknowledged", n)
	}
	if ended && !q.remove {
		return owed
	}
	s, err := q.session()
	if err != nil {
		return errors.Join(owed, err)
	}
	if q.remove {
		for _, name := range []string{q.name, q.later, q.dead} {
			_, failed := s.out.QueueDelete(name, false, false, false)
			err = errors.Join(err, failed)
		}
	}
	return errors.Join(owed, RabbitMQ.tell(errors.Join(err, s.close(confirming))))
}

func (q *rabbitQueue) put(ctx context.Context, body []byte) error {
	return q.publish(ctx, q.name, nil, body)
}

// publish returns when a message is kept in a queue.
func (q *rabbitQueue) publish(
	ctx context.Context, queue string, headers amqp.Table, body []byte,
) error {
	s, err := q.session()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, confirming)
	defer cancel()
	confirmed, err := s.send(ctx, q.newID(), queue, headers, body)
	if err == nil {
		err = confirmed(ctx)
	}
	return RabbitMQ.tell(err)
}

func (q *rabbitQueue) newID() string {
	return q.id + strconv.FormatUint(q.count.Add(1), 36)
}

// send publishes a message, and returns what waits for its confirm.
func (s *rabbitSession) send(
	ctx context.Context, id, queue string, headers amqp.Table, body []byte,
) (confirmed func(context.Context) error, err error) {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// mandatory: what no queue takes is confirmed too, but comes back before
	confirm, err := s.out.PublishWithDeferredConfirmWithContext(ctx, "", queue, true, false,
		amqp.Publishing{DeliveryMode: amqp.Persistent, MessageId: id, Headers: headers,
			Body: body})
	if err != nil {
		<-s.room
		return nil, err
	}
	return func(ctx context.Context) error {
		defer func() { <-s.room }()
		acked, err := confirm.WaitContext(ctx)
		switch {
		case err != nil:
			return err
		case !acked:
			return errors.New("a message was not confirmed")
		}
		return s.refusal(id)
	}, nil
}

// refusal says why a message came back that was confirmed.
func (s *rabbitSession) refusal(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.returns) > 0 {
		if r, open := <-s.returns; open {
			s.refused[r.MessageId] = r.ReplyText
		}
	}
	if why, is := s.refused[id]; is {
		delete(s.refused, id)
		return errors.New("a message was refused: " + why)
	}
	return nil
}

func (q *rabbitQueue) work(ctx context.Context, limit int, do func(strategies.Message)) {
	var others sync.WaitGroup
	others.Go(func() {
		for ctx.Err() == nil {
			s, err := q.session()
			if err == nil {
				err = q.hold(ctx, s)
			}
			if err != nil {
				wait(ctx, redialling)
			}
		}
	})
	consume(ctx, limit, q.receive, do)
	others.Wait()
	q.redeemAll()
	// What was delivered and not started is delivered again after the end of the connection.
}

// redeemAll waits for the messages that are owed. Others that come are left to the next connection.
func (q *rabbitQueue) redeemAll() {
	ctx, cancel := context.WithTimeout(context.Background(), settled)
	defer cancel()
	for ctx.Err() == nil && q.owes() > 0 {
		s, err := q.session()
		if err != nil {
			wait(ctx, redialling)
			continue
		}
		select {
		case d, open := <-s.deliveries:
			if !open {
				_ = s.in.Close()
				continue
			}
			(&rabbitMessage{q, s, d}).redeem()
		case <-ctx.Done():
		}
	}
}

func (q *rabbitQueue) owes() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.owed)
}

var errEnded = errors.New("RabbitMQ: the connection has ended")

func (q *rabbitQueue) receive(ctx context.Context) (strategies.Message, error) {
	s, err := q.session()
	if err != nil {
		return nil, err
	}
	for {
		select {
		case d, open := <-s.deliveries:
			if !open { // where the queue was deleted the channel is still there
				_ = s.in.Close()
				return nil, errEnded
			}
			m := &rabbitMessage{q, s, d}
			if m.redeem() {
				continue
			}
			if !d.Redelivered {
				return m, nil
			}
			// The attempt that nobody has replied to is counted in a copy.
			if err := m.move(ctx, q.name, m.headers()); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// hold has the messages that wait for another attempt, and puts them back in time.
func (q *rabbitQueue) hold(ctx context.Context, s *rabbitSession) error {
	var held []*rabbitMessage // by their time
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case d, open := <-s.laters:
			if !open {
				return errEnded
			}
			m := &rabbitMessage{q, s, d}
			at, _ := slices.BinarySearchFunc(held, m.due(), func(h *rabbitMessage, t int64) int {
				return cmp.Compare(h.due(), t)
			})
			held = slices.Insert(held, at, m)
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		due := 0
		for due < len(held) && held[due].due() <= time.Now().UnixMicro() {
			due++
		}
		for some := range slices.Chunk(held[:due], unconfirmed/8) {
			if err := q.putBack(ctx, s, some); err != nil {
				_ = s.in.Close() // they are all delivered again
				return err
			}
		}
		if held = slices.Delete(held, 0, due); len(held) > 0 {
			timer.Reset(time.Until(time.UnixMicro(held[0].due())))
		}
	}
}

// putBack waits once for all confirms.
func (q *rabbitQueue) putBack(
	ctx context.Context, s *rabbitSession, messages []*rabbitMessage,
) error {
	ctx, cancel := context.WithTimeout(ctx, confirming)
	defer cancel()
	var confirms []func(context.Context) error
	var all error
	for _, m := range messages {
		confirmed, err := s.send(ctx, q.newID(), q.name, m.headers(), m.delivery.Body)
		if err != nil {
			all = err
			break
		}
		confirms = append(confirms, confirmed)
	}
	for i, confirmed := range confirms {
		err := confirmed(ctx)
		if err == nil {
			err = messages[i].delivery.Ack(false)
		}
		all = errors.Join(all, err)
	}
	return all
}

// letters counts the dead letters.
func (q *rabbitQueue) letters(context.Context) (int, error) {
	s, err := q.session()
	if err != nil {
		return 0, err
	}
	state, err := s.out.QueueDeclarePassive(q.dead, true, false, false, false, amqp.Table{
		"x-queue-type": q.kind})
	return state.Messages, RabbitMQ.tell(err)
}

// A rabbitMessage is a delivery. Its header n counts the attempts before those of this copy.
type rabbitMessage struct {
	of       *rabbitQueue
	session  *rabbitSession
	delivery amqp.Delivery
}

func (m *rabbitMessage) Body() []byte { return m.delivery.Body }

func (m *rabbitMessage) Attempt() int {
	n, _ := m.delivery.Headers["n"].(int64)
	return int(n) + 1
}

// due is when it may be put back, in µs of Unix time.
func (m *rabbitMessage) due() int64 {
	t, _ := m.delivery.Headers["due"].(int64)
	return t
}

// headers are those of a copy.
func (m *rabbitMessage) headers() amqp.Table {
	if m.due() > 0 { // this attempt is counted already
		return amqp.Table{"n": m.delivery.Headers["n"]}
	}
	return amqp.Table{"n": int64(m.Attempt())}
}

// Reply implements strategies.Message. An acknowledgement is not waited for, as is usual: one that
// is lost with the connection costs a second run.
func (m *rabbitMessage) Reply(r strategies.Reply) error {
	ctx, cancel := context.WithTimeout(context.Background(), settled)
	defer cancel()
	headers := m.headers()
	switch {
	case r.Dead != nil:
		headers["error"] = oneLine(r.Dead)
		return m.move(ctx, m.of.dead, headers)
	case r.Again && r.After > 0:
		headers["due"] = time.Now().Add(r.After).UnixMicro()
		return m.move(ctx, m.of.later, headers)
	case r.Again:
		return m.move(ctx, m.of.name, headers)
	}
	m.ack()
	return nil
}

// ack tells the server that the message is settled, now or when it comes again.
func (m *rabbitMessage) ack() {
	if m.delivery.Ack(false) != nil {
		m.of.mu.Lock()
		defer m.of.mu.Unlock()
		m.of.owed[m.delivery.MessageId] = true
	}
}

// redeem acknowledges a message that has come again because an acknowledgement was lost.
func (m *rabbitMessage) redeem() bool {
	m.of.mu.Lock()
	defer m.of.mu.Unlock()
	if !m.of.owed[m.delivery.MessageId] {
		return false
	}
	if m.delivery.Ack(false) == nil {
		delete(m.of.owed, m.delivery.MessageId)
	}
	return true
}

// move puts a copy into a queue, and then removes the message from its own.
func (m *rabbitMessage) move(ctx context.Context, queue string, headers amqp.Table) error {
	for {
		if queue != m.of.dead && m.session.in.IsClosed() {
			return nil // it is delivered again anyway
		}
		err := m.of.publish(ctx, queue, headers, m.delivery.Body)
		if err == nil {
			m.ack()
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		wait(ctx, redialling)
	}
}
