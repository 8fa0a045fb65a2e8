package durable

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name:    "sqlite_queue",
	Summary: "a table in SQLite, in a file of this process: claimed by UPDATE, deleted when done",
	UseIf: "accepted tasks must survive the process on one machine, without a server, and a few " +
		"thousand tasks a second are enough",
	Source: "the stock scraper's durable queue, in the smallest form; modernc.org/sqlite",
	FIFO:   true,
	Adds:   sqliteAdds,
	Keys: []param.Key{dirKey, leaseKey,
		{Name: "sync", Kind: param.Choice, Default: "full", Choices: []string{"normal", "full"},
			Doc: "full: an fsync for each transaction; normal: an fsync from time to time, so " +
				"the last tasks are lost if the machine fails"}},
	Durability: func(p strategies.Params) strategies.Durability {
		if p.Values.Choice("sync") == "full" {
			return strategies.PowerSafe
		}
		return strategies.KillSafe
	},
	Check: checkLease,
	Open:  openSQLiteQueue,
})

// A sqliteQueue uses one connection, because SQLite has one writer at a time and does not order
// waiting ones.
type sqliteQueue struct {
	*health
	db                   *sql.DB
	insert, claim        *sql.Stmt
	next, drop           *sql.Stmt
	later, bury, letters *sql.Stmt
	held                 *sql.Stmt
	lease                time.Duration
	remove               func() error
	opened               time.Time // time when the queue was opened; see now
	base                 int64     // Unix time in ns at opened

	// wakes idle consumers; a Put wakes one
	wake chan struct{}
}

const sqliteTables = `
CREATE TABLE IF NOT EXISTS queue (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	body BLOB NOT NULL,
	attempt INTEGER NOT NULL DEFAULT 0, -- deliveries so far
	due INTEGER NOT NULL DEFAULT 0      -- ns by the clock of q.now, before which it is not delivered
);
CREATE TABLE IF NOT EXISTS dead (body BLOB NOT NULL, attempt INTEGER NOT NULL, error TEXT NOT NULL);
`

func openSQLiteQueue(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	h := newHealth(embeddedAway)
	dir, remove, err := makeDir(p, h)
	if err != nil {
		return nil, err
	}
	q := &sqliteQueue{health: h, lease: p.Values.Duration("lease"), remove: remove,
		wake: make(chan struct{}, p.Limit)}
	open := func(context.Context) error {
		return q.open(filepath.Join(dir, "queue.db"), p.Values.Choice("sync"), time.Now())
	}
	return start(ctx, p, sink, q.health, open, engine.Broker{Put: q.add, Close: q.close,
		Dead: q.dead, Stored: q.count,
		Work: func(ctx context.Context, limit int, do func(engine.Message)) {
			q.consume(ctx, limit, q.receive, do)
		}})
}

func (q *sqliteQueue) open(file, sync string, now time.Time) (err error) {
	q.opened, q.base = time.Now(), now.UnixNano()
	q.db, err = sql.Open("sqlite", "file:"+url.PathEscape(file)+
		"?_pragma=journal_mode(wal)&_pragma=synchronous("+sync+")&_pragma=busy_timeout(2000)")
	if err != nil {
		return err
	}
	q.db.SetMaxOpenConns(1)
	if _, err := os.Stat(file); err == nil { // left by an earlier process
		var found string
		if err := q.db.QueryRow("PRAGMA quick_check(1)").Scan(&found); err != nil {
			return err
		}
		if found != "ok" {
			return errors.New("database disk image is malformed: " + found)
		}
	}
	if _, err := q.db.Exec(sqliteTables); err != nil {
		return err
	}
	// Leases and delays of an earlier process use its clock, which may have been ahead.
	latest := q.now() + int64(q.lease)
	if _, err := q.db.Exec("UPDATE queue SET due = ?1 WHERE due > ?1", latest); err != nil {
		return err
	}
	q.watchFile(file)
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&q.insert, "INSERT INTO queue (body) VALUES (?)"},
		{&q.claim, "UPDATE queue SET attempt = attempt + 1, due = ?1 WHERE id = (" +
			"SELECT id FROM queue WHERE due <= ?2 ORDER BY id LIMIT 1) " +
			"RETURNING id, body, attempt"},
		{&q.next, "SELECT min(due) FROM queue"},
		{&q.drop, "DELETE FROM queue WHERE id = ?"},
		{&q.later, "UPDATE queue SET due = ? WHERE id = ?"},
		{&q.bury, "INSERT INTO dead SELECT body, attempt, ? FROM queue WHERE id = ?"},
		{&q.letters, "SELECT count(*) FROM dead"},
		{&q.held, "SELECT count(*) FROM queue"},
	} {
		if *s.to, err = q.db.Prepare(s.text); err != nil {
			return err
		}
	}
	return nil
}

// now ignores later changes of the system time.
func (q *sqliteQueue) now() int64 { return q.base + int64(time.Since(q.opened)) }

func (q *sqliteQueue) close() error {
	if q.db == nil {
		return q.remove()
	}
	return errors.Join(q.db.Close(), q.remove())
}

// add cannot be cancelled: a cancellable context costs a goroutine, a quarter of the total, and the
// insert takes no longer than an fsync.
func (q *sqliteQueue) add(_ context.Context, body []byte) error {
	if _, err := q.insert.Exec(body); err != nil {
		return err
	}
	q.wakeConsumer()
	return nil
}

func (q *sqliteQueue) wakeConsumer() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *sqliteQueue) receive(ctx context.Context) (engine.Message, error) {
	for {
		now := q.now()
		m := &sqliteMessage{queue: q}
		err := q.claim.QueryRow(now+int64(q.lease), now).Scan(
			&m.id, &m.body, &m.attempt)
		if err == nil {
			m.lease = renewLease(q.lease, func() { _ = m.postpone(q.lease) })
			return m, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		if err := q.waitForDue(ctx); err != nil {
			return nil, err
		}
	}
}

func (q *sqliteQueue) waitForDue(ctx context.Context) error {
	var due sql.NullInt64
	if err := q.next.QueryRowContext(ctx).Scan(&due); err != nil {
		return err
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	if due.Valid {
		timer.Reset(time.Duration(due.Int64 - q.now()))
	}
	select {
	case <-timer.C:
	case <-q.wake:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (q *sqliteQueue) dead(ctx context.Context) (int, error) { return countOf(ctx, q.letters) }

func (q *sqliteQueue) count(ctx context.Context) (int, error) { return countOf(ctx, q.held) }

func countOf(ctx context.Context, rows *sql.Stmt) (n int, err error) {
	err = rows.QueryRowContext(ctx).Scan(&n)
	return n, err
}

type sqliteMessage struct {
	queue *sqliteQueue
	id    int64
	delivery
	lease *lease
}

func (m *sqliteMessage) Reply(r engine.Reply) error {
	m.lease.end()
	switch {
	case r.Dead != nil:
		return m.bury(oneLine(r.Dead))
	case r.Again:
		err := m.postpone(r.After)
		m.queue.wakeConsumer()
		return err
	}
	_, err := m.queue.drop.Exec(m.id)
	return err
}

func (m *sqliteMessage) postpone(d time.Duration) error {
	_, err := m.queue.later.Exec(m.queue.now()+int64(d), m.id)
	return err
}

func (m *sqliteMessage) bury(why string) error {
	return withTimeout(func(ctx context.Context) error {
		tx, err := m.queue.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // no effect after Commit
		if _, err := tx.Stmt(m.queue.bury).Exec(why, m.id); err != nil {
			return err
		}
		if _, err := tx.Stmt(m.queue.drop).Exec(m.id); err != nil {
			return err
		}
		return tx.Commit()
	})
}
