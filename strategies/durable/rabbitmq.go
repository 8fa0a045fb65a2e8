package durable

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name: "rabbitmq",
	Summary: "a queue of RabbitMQ: published with confirms, consumed with as many messages " +
		"unacknowledged as the limit",
	UseIf: "you already have RabbitMQ, or other programs use the queue; a few thousand tasks a " +
		"second are enough, and a task ends within the server's consumer_timeout (30 minutes)",
	Source: "github.com/rabbitmq/amqp091-go",
	FIFO:   true,
	Adds:   rabbitAdds,
	Keys: []param.Key{awayKey, {Name: "queue", Kind: param.Choice, Default: "quorum",
		Choices: []string{"classic", "quorum"},
		Doc: "quorum: an fsync on a majority of the nodes before the confirm; classic: on one " +
			"node, where the time of the fsync depends on the version"}},
	Durability: func(p strategies.Params) strategies.Durability {
		if p.Values.Choice("queue") == "quorum" {
			return strategies.PowerSafe
		}
		return strategies.KillSafe
	},
	Needs: registry.RabbitMQ.Product,
	Ready: registry.RabbitMQ.Ready,
	Check: checkAway,
	Open:  openRabbitMQ,
})

const (
	redialInterval = 100 * time.Millisecond
	maxUnconfirmed = 1024
	maxPrefetch    = 1<<16 - 1
	// The server removes the unused queues of a killed process after this time, because AMQP cannot
	// list them. Nobody consumes dead letters, so it is longer than any run.
	expiry = 7 * 24 * time.Hour
)

// A rabbitQueue has a queue for messages, one for messages that wait for another attempt and one
// for dead letters. When the connection ends, the server redelivers unacknowledged messages.
//
// This process puts the waiting messages back when they are due, and acknowledges each after the
// confirm of its copy. Late negative acknowledgements would use up the prefetch. A time to live
// would need a queue for each delay, and would move messages without a confirm. The copy contains
// the number of attempts, because classic queues do not count them, and quorum queues of RabbitMQ 4
// drop a message after 20.
type rabbitQueue struct {
	*health
	name, later, dead string
	kind              string
	prefetch          int
	remove            bool
	expires           bool   // no other process knows its name
	id                string // prefix of its message IDs
	count             atomic.Uint64
	delivered         atomic.Int64 // waiting messages held in this process

	mu       sync.Mutex
	current  *rabbitSession // current session; nil: none yet
	failedAt time.Time      // time of the last failed attempt to connect
	failure  error          // error of that attempt
	// completed messages whose acknowledgement was lost with the connection; sent at redelivery
	owed map[string]bool
}

func openRabbitMQ(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	name := queueName(p)
	q := &rabbitQueue{health: newHealth(p.Values.Duration(awayKey.Name)), name: name,
		later: name + "_later", dead: name + "_dead",
		kind: p.Values.Choice("queue"), expires: p.Resume == nil,
		prefetch: min(p.Limit, maxPrefetch), id: rand.Text(), owed: make(map[string]bool)}
	open := func(context.Context) error {
		_, err := q.session()
		q.remove = err == nil && isTemporary(p)
		return err
	}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.put, Work: q.work,
		Close: q.close, Dead: q.deadLetters, Stored: q.stored})
}

func (q *rabbitQueue) close() error {
	q.mu.Lock()
	ended := q.current == nil || q.current.ended()
	q.mu.Unlock()
	var owed error
	if n := q.owedCount(); n > 0 && !q.remove {
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
	return errors.Join(owed, registry.RabbitMQ.PublicError(errors.Join(err, s.close(requestTimeout))))
}

func (q *rabbitQueue) put(ctx context.Context, body []byte) error {
	return q.publish(ctx, q.name, nil, body)
}

func (q *rabbitQueue) publish(
	ctx context.Context, queue string, headers amqp.Table, body []byte,
) error {
	s, err := q.session()
	if err != nil {
		return err
	}
	err = q.within(ctx, requestTimeout, func(ctx context.Context) error {
		confirmed, err := s.send(ctx, q.newID(), queue, headers, body)
		if err == nil {
			err = confirmed(ctx)
		}
		return err
	})
	return registry.RabbitMQ.PublicError(s.explain(err))
}

func (q *rabbitQueue) newID() string {
	return q.id + strconv.FormatUint(q.count.Add(1), 36)
}

func (q *rabbitQueue) deadLetters(context.Context) (int, error) { return q.ready(q.dead) }

// stored includes delivered messages without an acknowledgement.
func (q *rabbitQueue) stored(context.Context) (int, error) {
	all := int(q.delivered.Load())
	for _, name := range []string{q.name, q.later} {
		n, err := q.ready(name)
		if err != nil {
			return 0, err
		}
		all += n
	}
	return all, nil
}

func (q *rabbitQueue) ready(name string) (int, error) {
	s, err := q.session()
	if err != nil {
		return 0, err
	}
	state, err := s.out.QueueDeclarePassive(name, true, false, false, false, amqp.Table{
		"x-queue-type": q.kind})
	return state.Messages, registry.RabbitMQ.PublicError(err)
}
