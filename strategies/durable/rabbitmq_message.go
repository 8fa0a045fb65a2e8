package durable

import (
	"context"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/poolbench/poolbench/strategies/engine"
)

// The header n counts the attempts before this copy.
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

// due is in µs of Unix time, or 0.
func (m *rabbitMessage) due() int64 {
	t, _ := m.delivery.Headers["due"].(int64)
	return t
}

func (m *rabbitMessage) headers() amqp.Table {
	if m.due() > 0 { // this attempt is already counted
		return amqp.Table{"n": m.delivery.Headers["n"]}
	}
	return amqp.Table{"n": int64(m.Attempt())}
}

// A lost acknowledgement costs a second run.
func (m *rabbitMessage) Reply(r engine.Reply) error {
	queue, headers := m.of.name, m.headers()
	switch {
	case r.Dead != nil:
		queue, headers["error"] = m.of.dead, oneLine(r.Dead)
	case r.Again && r.After > 0:
		queue, headers["due"] = m.of.later, time.Now().Add(r.After).UnixMicro()
	case !r.Again:
		m.ack()
		return nil
	}
	return m.of.within(context.Background(), replyTimeout, func(ctx context.Context) error {
		return m.move(ctx, queue, headers)
	})
}

// ack acknowledges the message now or, if the connection is lost, when it is redelivered.
func (m *rabbitMessage) ack() {
	if m.delivery.Ack(false) != nil {
		m.of.mu.Lock()
		defer m.of.mu.Unlock()
		m.of.owed[m.delivery.MessageId] = true
	}
}

func (m *rabbitMessage) acknowledgeOwed() bool {
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

func (m *rabbitMessage) move(ctx context.Context, queue string, headers amqp.Table) error {
	for {
		if queue != m.of.dead && m.session.in.IsClosed() {
			return nil // it is redelivered anyway
		}
		err := m.of.publish(ctx, queue, headers, m.delivery.Body)
		if err == nil {
			m.ack()
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		sleep(ctx, redialInterval)
	}
}
