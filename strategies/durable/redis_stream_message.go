package durable

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies/engine"
)

type redisMessage struct {
	of *redisStream
	id string
	delivery
	lease *lease
}

func (q *redisStream) message(entry redis.XMessage) *redisMessage {
	body, _ := entry.Values["b"].(string)
	before, _ := entry.Values["n"].(string)
	m := &redisMessage{of: q, id: entry.ID, delivery: delivery{[]byte(body), 1}}
	if n, err := strconv.Atoi(before); err == nil {
		m.attempt += n
	}
	m.lease = renewLease(q.lease, func() {
		// JUSTID does not count as a delivery.
		_ = q.client.XClaimJustID(context.Background(), &redis.XClaimArgs{Stream: q.name,
			Group: group, Consumer: consumer, Messages: []string{m.id}}).Err()
	})
	return m
}

func (m *redisMessage) Reply(r engine.Reply) error {
	m.lease.end()
	return m.of.untilDone(func() error {
		return registry.Redis.PublicError(m.reply(context.Background(), r))
	})
}

func (m *redisMessage) reply(ctx context.Context, r engine.Reply) error {
	switch {
	case r.Dead != nil:
		return m.bury(ctx, oneLine(r.Dead))
	case r.Again:
		return m.requeue(ctx, r.After)
	}
	// No transaction is needed: the group drops a pending message that is deleted.
	_, err := m.of.client.Pipelined(ctx, func(line redis.Pipeliner) error {
		m.remove(ctx, line)
		return nil
	})
	return err
}

func (m *redisMessage) bury(ctx context.Context, why string) error {
	_, err := m.of.client.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		tx.XAdd(ctx, &redis.XAddArgs{Stream: m.of.dead, Values: []any{
			"n", m.attempt, "b", m.body, "error", why}})
		m.remove(ctx, tx)
		return nil
	})
	return err
}

func (m *redisMessage) requeue(ctx context.Context, after time.Duration) error {
	q := m.of
	err := redisLater.Run(ctx, q.client, []string{q.name, q.later}, m.id, after.Microseconds(),
		m.attempt, m.body).Err()
	if err != nil && !errors.Is(err, redis.Nil) { // the script returns nothing
		return err
	}
	select {
	case q.dueEarlier <- struct{}{}:
	default:
	}
	return nil
}

func (m *redisMessage) remove(ctx context.Context, c redis.Pipeliner) {
	c.XDel(ctx, m.of.name, m.id)
	c.XAck(ctx, m.of.name, group, m.id)
}
