package durable

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/poolbench/poolbench/strategies/engine"
)

func (q *rabbitQueue) work(ctx context.Context, limit int, do func(engine.Message)) {
	var others sync.WaitGroup
	others.Go(func() {
		for ctx.Err() == nil {
			s, err := q.session()
			if err == nil {
				err = q.holdDelayed(ctx, s)
			}
			if err != nil {
				sleep(ctx, redialInterval)
			}
		}
	})
	q.consume(ctx, limit, q.receive, do)
	others.Wait()
	q.acknowledgeAllOwed()
	// After the end of the connection, the server redelivers messages that were not started.
}

// acknowledgeAllOwed waits up to replyTimeout for the redelivery of owed messages.
func (q *rabbitQueue) acknowledgeAllOwed() {
	ctx, cancel := context.WithTimeout(context.Background(), replyTimeout)
	defer cancel()
	for ctx.Err() == nil && q.owedCount() > 0 {
		s, err := q.session()
		if err != nil {
			sleep(ctx, redialInterval)
			continue
		}
		select {
		case d, open := <-s.deliveries:
			if !open {
				_ = s.in.Close()
				continue
			}
			(&rabbitMessage{q, s, d}).acknowledgeOwed()
		case <-ctx.Done():
		}
	}
}

func (q *rabbitQueue) owedCount() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.owed)
}

var errEnded = errors.New("RabbitMQ: the connection has ended")

func (q *rabbitQueue) receive(ctx context.Context) (engine.Message, error) {
	s, err := q.session()
	if err != nil {
		return nil, err
	}
	for {
		select {
		case d, open := <-s.deliveries:
			if !open { // if the queue was deleted, the channel is still open
				_ = s.in.Close()
				return nil, errEnded
			}
			m := &rabbitMessage{q, s, d}
			if m.acknowledgeOwed() {
				continue
			}
			if !d.Redelivered {
				return m, nil
			}
			// The copy counts the attempt that ended without a reply.
			if err := m.move(ctx, q.name, m.headers()); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (q *rabbitQueue) holdDelayed(ctx context.Context, s *rabbitSession) error {
	var held []*rabbitMessage // sorted by due time
	defer q.delivered.Store(0)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case d, open := <-s.delayed:
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
		for some := range slices.Chunk(held[:due], maxUnconfirmed/8) {
			if err := q.putBack(ctx, s, some); err != nil {
				_ = s.in.Close() // all are delivered again
				return err
			}
		}
		held = slices.Delete(held, 0, due)
		q.delivered.Store(int64(len(held)))
		if len(held) > 0 {
			timer.Reset(time.Until(time.UnixMicro(held[0].due())))
		}
	}
}

func (q *rabbitQueue) putBack(
	ctx context.Context, s *rabbitSession, messages []*rabbitMessage,
) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
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
