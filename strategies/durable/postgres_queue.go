package durable

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name: "postgres_queue",
	Summary: "a table in PostgreSQL: claimed by FOR UPDATE SKIP LOCKED, deleted when done, " +
		"NOTIFY wakes idle consumers",
	UseIf: "accepted tasks must survive the process, you already have PostgreSQL, and a few " +
		"thousand tasks a second are enough",
	Source:     "the usual queue in a table, in its simplest form; github.com/jackc/pgx/v5",
	FIFO:       true,
	Adds:       postgresAdds,
	Keys:       []param.Key{leaseKey, awayKey, syncCommitKey},
	Durability: syncCommitDurability,
	Needs:      registry.Postgres.Product,
	Ready:      registry.Postgres.Ready,
	Clean:      cleanPostgres,
	Check:      checkServerParams,
	Open:       openPostgresQueue,
})

// A postgresQueue is a schema with two tables. Each statement is its own transaction.
type postgresQueue struct {
	postgresSchema              // its name is also the NOTIFY channel
	insert, claim, drop  string // SQL statements
	later, bury, letters string
	ready, held          string
	lease                time.Duration
	limit                int

	wake        chan struct{} // wakes idle consumers
	idle        atomic.Int64  // number of idle consumers
	unannounced atomic.Int64  // messages not yet announced by a NOTIFY
	newMessages chan struct{} // receives a value when unheard grows
}

// Half of each page stays free for the new row versions of a claim, so that the index is not
// updated.
const postgresTables = `
CREATE TABLE IF NOT EXISTS {schema}.queue (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	body bytea NOT NULL,
	attempt integer NOT NULL DEFAULT 0,          -- deliveries so far
	due timestamptz NOT NULL DEFAULT '-infinity' -- before which it is not delivered (again)
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS {schema}.dead (
	body bytea NOT NULL, attempt integer NOT NULL, error text NOT NULL);
`

func openPostgresQueue(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	q := &postgresQueue{postgresSchema: newPostgresSchema(p), lease: p.Values.Duration("lease"),
		limit: p.Limit, wake: make(chan struct{}, p.Limit), newMessages: make(chan struct{}, 1)}
	q.insert = q.inSchema("INSERT INTO {schema}.queue (body) VALUES ($1)")
	// A claim does not wait for the disk. If it is lost with the server, its message is delivered
	// again, which would happen anyway.
	q.claim = q.inSchema("UPDATE {schema}.queue SET attempt = attempt + 1, due = now() + $1 WHERE id = (" +
		"SELECT id FROM {schema}.queue WHERE due <= now() ORDER BY id " +
		"FOR UPDATE SKIP LOCKED LIMIT 1) " +
		"RETURNING id, body, attempt, set_config('synchronous_commit', 'off', true)")
	q.drop = q.inSchema("DELETE FROM {schema}.queue WHERE id = $1")
	q.later = q.inSchema("UPDATE {schema}.queue SET due = now() + $1 WHERE id = $2 AND attempt = $3")
	q.bury = q.inSchema("WITH gone AS (DELETE FROM {schema}.queue WHERE id = $1 " +
		"RETURNING body, attempt) INSERT INTO {schema}.dead SELECT body, attempt, $2 FROM gone")
	q.letters = q.inSchema("SELECT count(*) FROM {schema}.dead")
	q.held = q.inSchema("SELECT count(*) FROM {schema}.queue")
	q.ready = q.inSchema("SELECT count(*) FROM (" +
		"SELECT FROM {schema}.queue WHERE due <= now() LIMIT $1) AS ready")
	open := func(ctx context.Context) error {
		return q.open(ctx, p, func(ctx context.Context) error {
			_, err := q.pool.Exec(ctx, q.inSchema(postgresTables))
			return err
		})
	}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.add, Work: q.work,
		Close: q.close, Dead: q.dead, Stored: q.stored})
}

func (q *postgresQueue) add(ctx context.Context, body []byte) error {
	if err := q.within(ctx, requestTimeout, func(ctx context.Context) error {
		_, err := q.pool.Exec(ctx, q.insert, body)
		return err
	}); err != nil {
		return registry.Postgres.PublicError(err)
	}
	q.unannounced.Add(1)
	select {
	case q.newMessages <- struct{}{}:
	default:
	}
	return nil
}

// Consumers are woken through the server, because other processes also put messages.
func (q *postgresQueue) work(ctx context.Context, limit int, do func(engine.Message)) {
	var beside sync.WaitGroup
	beside.Go(func() { q.announce(ctx) })
	beside.Go(func() {
		for ctx.Err() == nil {
			q.listen(ctx)
			sleep(ctx, 100*time.Millisecond)
		}
	})
	q.consume(ctx, limit, q.receive, do)
	beside.Wait()
}

// announce notifies consumers of new messages. A NOTIFY in the transaction of the message would
// serialize all commits, including their fsync. So one NOTIFY covers all messages of the last
// millisecond, or of the last ten while no consumer is idle.
func (q *postgresQueue) announce(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-q.newMessages:
		case <-ctx.Done():
			return
		}
		n := q.unannounced.Swap(0)
		// the poll finds messages whose notification was lost
		_, _ = q.pool.Exec(ctx, "SELECT pg_notify($1, $2), "+
			"set_config('synchronous_commit', 'off', true)", q.name, strconv.FormatInt(n, 10))
		for i := 0; i == 0 || i < 10 && q.idle.Load() == 0; i++ {
			sleep(ctx, time.Millisecond)
		}
	}
}

// The poll finds messages without a notification, for example with an expired lease.
const pollInterval = time.Second

func (q *postgresQueue) listen(ctx context.Context) {
	pooled, err := q.pool.Acquire(ctx)
	if err != nil {
		return
	}
	conn := pooled.Hijack() // a listening connection must not return to the pool
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{q.name}.Sanitize()); err != nil {
		return
	}
	poll := time.Now()
	for ctx.Err() == nil {
		if time.Now().Before(poll) {
			n, err := notification(ctx, conn, poll)
			if err != nil {
				return
			}
			q.wakeConsumers(n)
			continue
		}
		var ready int
		if err := conn.QueryRow(ctx, q.ready, q.limit).Scan(&ready); err != nil {
			return
		}
		q.wakeConsumers(ready)
		poll = time.Now().Add(pollInterval)
	}
}

func notification(ctx context.Context, conn *pgx.Conn, until time.Time) (int, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	n, err := conn.WaitForNotification(ctx)
	if err != nil {
		if ctx.Err() != nil && !conn.IsClosed() {
			return 0, nil
		}
		return 0, err
	}
	return strconv.Atoi(n.Payload)
}

func (q *postgresQueue) wakeConsumers(n int) {
	for range n {
		select {
		case q.wake <- struct{}{}:
		default:
			return
		}
	}
}

// The claim cannot be cancelled, because it may have leased a message.
func (q *postgresQueue) receive(ctx context.Context) (engine.Message, error) {
	for ctx.Err() == nil {
		m := &postgresMessage{queue: q}
		uncancelled := context.WithoutCancel(ctx)
		err := q.within(uncancelled, requestTimeout, func(ctx context.Context) error {
			return q.pool.QueryRow(ctx, q.claim, q.lease).Scan(&m.id, &m.body, &m.attempt, nil)
		})
		if err == nil {
			m.lease = renewLease(q.lease, func() { _ = m.postpone(q.lease) })
			return m, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return nil, registry.Postgres.PublicError(err)
		}
		q.idle.Add(1)
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
		q.idle.Add(-1)
	}
	return nil, ctx.Err()
}

func (q *postgresQueue) dead(ctx context.Context) (int, error)   { return q.count(ctx, q.letters) }
func (q *postgresQueue) stored(ctx context.Context) (int, error) { return q.count(ctx, q.held) }

type postgresMessage struct {
	queue *postgresQueue
	id    int64
	delivery
	lease *lease
}

func (m *postgresMessage) Reply(r engine.Reply) error {
	m.lease.end()
	reply := func() error { return m.queue.exec(m.queue.drop, m.id) }
	switch {
	case r.Dead != nil:
		reply = func() error { return m.queue.exec(m.queue.bury, m.id, oneLine(r.Dead)) }
	case r.Again:
		reply = func() error { return m.postpone(r.After) }
	}
	err := m.queue.untilDone(reply)
	if err == nil && r.Again {
		time.AfterFunc(r.After, func() { m.queue.wakeConsumers(1) })
	}
	return err
}

// postpone has no effect if another consumer has the row.
func (m *postgresMessage) postpone(d time.Duration) error {
	return m.queue.exec(m.queue.later, d, m.id, m.attempt)
}
