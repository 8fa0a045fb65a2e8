package durable

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/poolbench/poolbench/internal/registry"
)

// A rabbitSession is a pair of connections that end together: one to publish and one to consume,
// because a server that is short of memory stops reading from publishers.
type rabbitSession struct {
	conns      []*amqp.Connection
	out, in    *amqp.Channel
	deliveries <-chan amqp.Delivery
	delayed    <-chan amqp.Delivery

	// All publishers share one channel. 16 channels made 16 submitters at most a quarter faster.
	room    chan struct{}
	returns chan amqp.Return
	mu      sync.Mutex
	refused map[string]string // reasons for returned messages, by ID
	blocked string            // why the server does not read published messages; "": it does
}

func (q *rabbitQueue) session() (*rabbitSession, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.current != nil && !q.current.ended() {
		return q.current, nil
	}
	if time.Since(q.failedAt) < redialInterval {
		return nil, q.failure
	}
	if q.current != nil {
		_ = q.current.close(redialInterval) // one of the two connections may be open
	}
	s := &rabbitSession{room: make(chan struct{}, maxUnconfirmed), refused: make(map[string]string)}
	if err := s.open(q); err != nil {
		_ = s.close(redialInterval)
		q.current, q.failedAt, q.failure = nil, time.Now(), registry.RabbitMQ.PublicError(err)
		return nil, q.failure
	}
	q.current = s
	return s, nil
}

func (s *rabbitSession) open(q *rabbitQueue) (err error) {
	if s.out, err = s.dial(); err != nil {
		return err
	}
	go s.watchBlocked(s.conns[0].NotifyBlocked(make(chan amqp.Blocking, 1)))
	arguments := amqp.Table{"x-queue-type": q.kind}
	if q.expires {
		arguments["x-expires"] = expiry.Milliseconds()
	}
	for _, name := range []string{q.name, q.later, q.dead} {
		_, err := s.out.QueueDeclare(name, true, false, false, false, arguments)
		if err != nil {
			return err
		}
	}
	if err := s.out.Confirm(false); err != nil {
		return err
	}
	s.returns = s.out.NotifyReturn(make(chan amqp.Return, maxUnconfirmed))
	if s.in, err = s.dial(); err != nil {
		return err
	}
	s.delayed, err = s.in.Consume(q.later, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	if err := s.in.Qos(q.prefetch, 0, false); err != nil { // applies to the next consumer
		return err
	}
	s.deliveries, err = s.in.Consume(q.name, "", false, false, false, false, nil)
	return err
}

func (s *rabbitSession) dial() (*amqp.Channel, error) {
	conn, err := amqp.DialConfig(registry.RabbitMQ.Address(), amqp.Config{Heartbeat: 3 * time.Second,
		Properties: amqp.Table{"connection_name": "poolbench"},
		Dial:       amqp.DefaultDial(requestTimeout)})
	if err != nil {
		return nil, err
	}
	s.conns = append(s.conns, conn)
	return conn.Channel()
}

func (s *rabbitSession) watchBlocked(words <-chan amqp.Blocking) {
	for b := range words {
		s.mu.Lock()
		if s.blocked = ""; b.Active {
			s.blocked = "the server has blocked the connection: " + b.Reason
		}
		s.mu.Unlock()
	}
}

func (s *rabbitSession) explain(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && s.blocked != "" {
		return errors.New(s.blocked)
	}
	return err
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

func (s *rabbitSession) send(
	ctx context.Context, id, queue string, headers amqp.Table, body []byte,
) (confirmed func(context.Context) error, err error) {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	// mandatory: a message for a missing queue is also confirmed, but returned first
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
