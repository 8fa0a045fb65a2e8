// Package sql registers the workload sql_query, which queries SQLite or PostgreSQL. It is a
// separate package because of the database libraries.
package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/workloads"
)

var _ = workloads.Register(workloads.Spec{
	Name: "sql_query",
	Summary: "queries a database (SQLite in a temporary file, or PostgreSQL) through a small " +
		"pool of connections, and waits for a connection with a timeout",
	Source: "pattern: limited concurrency in Go, against exhausted connection pools",
	Kind:   workloads.IO,
	Keys: []param.Key{
		{Name: "db", Kind: param.Text, Default: "sqlite",
			Doc: "sqlite, in a temporary file, or postgres, which the environment variable " +
				registry.DSN + " names"},
		{Name: "conns", Kind: param.Int, Default: "2",
			Doc: "largest number of connections; further tasks wait for a connection"},
		{Name: "timeout", Kind: param.Duration, Default: "1s",
			Doc: "time after which a task fails, including the wait for a connection, at most 1h"},
		{Name: "rows", Kind: param.Int, Default: "10000",
			Doc: "rows of the table, at most 1000000; a read scans all rows"},
		{Name: "writes", Kind: param.Float, Default: "0",
			Doc: "share of tasks that change a row instead of reading all rows, from 0 to 1"},
	},
	New:   newSQLQuery,
	Check: checkSQLQuery,
})

var databases = map[string]func(ctx context.Context, rows int) (*database,
	error){"sqlite": newSQLite, "postgres": newPostgres}

func checkSQLQuery(v param.Values) error {
	if databases[v.Text("db")] == nil {
		return fmt.Errorf("db: want %s, got %q",
			strings.Join(slices.Sorted(maps.Keys(databases)), " or "), v.Text("db"))
	}
	if n := v.Int("conns"); n < 1 {
		return fmt.Errorf("conns: must be positive, got %d", n)
	}
	if d := v.Duration("timeout"); d <= 0 || d > time.Hour {
		return fmt.Errorf("timeout: must be positive and at most 1h, got %s",
			dist.FormatDuration(d))
	}
	if n := v.Int("rows"); n < 1 || n > 1_000_000 {
		return fmt.Errorf("rows: must be between 1 and 1000000, got %d", n)
	}
	_, err := registry.NewCoin(0, v, "writes")
	return err
}

// A database has one table with the columns id, from 0 up, and value, which has no index.
type database struct {
	*sql.DB
	read   string                      // counts all rows by their values
	write  string                      // adds 1 to the value of one id
	remove func(*sql.DB) error         // closes the connections and removes the table
	redact func(err error) (out error) // removes secrets from an error
}

// setupTimeout limits the creation, and the removal, of the table.
const setupTimeout = 30 * time.Second

func newSQLQuery(seed uint64, v param.Values) (workloads.Workload, error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	w := &sqlQuery{Coin: registry.Coin{Seed: seed, P: v.Float("writes")},
		timeout: v.Duration("timeout"),
		rows:    v.Int("rows")}
	var err error
	if w.db, err = databases[v.Text("db")](ctx, w.rows); err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	w.db.SetMaxOpenConns(v.Int("conns"))
	w.db.SetMaxIdleConns(v.Int("conns"))
	var times [2]time.Duration
	for i, query := range []func(context.Context, uint64) error{w.read, w.write} {
		if times[i], err = machine.TimeAlone(func() error { return query(ctx, 0) }); err != nil {
			return nil, errors.Join(fmt.Errorf("db: %w", w.db.redact(err)), w.Close())
		}
	}
	w.mean, w.c2 = w.Moments(times[0], times[1])
	return w, nil
}

type sqlQuery struct {
	registry.Coin // rare tasks write
	db            *database
	timeout       time.Duration
	rows          int
	mean          time.Duration
	c2            float64
	once          sync.Once
	closed        error
}

// Do executes one statement in its own transaction. The timeout includes the wait for a connection.
func (w *sqlQuery) Do(ctx context.Context, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	query := w.read
	if w.Rare(seq) {
		query = w.write
	}
	err := query(limited, seq)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("no answer within %v", w.timeout)
	}
	return w.db.redact(err)
}

// read scans the whole table, so its time is proportional to the number of rows.
func (w *sqlQuery) read(ctx context.Context, _ uint64) error {
	var n int
	if err := w.db.QueryRowContext(ctx, w.db.read).Scan(&n); err != nil {
		return err
	}
	if n != w.rows {
		return fmt.Errorf("the table has %d rows, want %d", n, w.rows)
	}
	return nil
}

func (w *sqlQuery) write(ctx context.Context, seq uint64) error {
	result, err := w.db.ExecContext(ctx, w.db.write, int64(seq%uint64(w.rows)))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return errors.Join(fmt.Errorf("%d rows were changed, want 1", n), err)
	}
	return nil
}

func (w *sqlQuery) Mean() time.Duration { return w.mean }

func (w *sqlQuery) C2() float64 { return w.c2 }

func (w *sqlQuery) Close() error {
	w.once.Do(func() {
		if err := w.db.remove(w.db.DB); err != nil {
			w.closed = fmt.Errorf("removing the table: %w", w.db.redact(err))
		}
	})
	return w.closed
}
