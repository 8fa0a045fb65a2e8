package durable_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

func rawPool(b *testing.B, limit int) (*pgxpool.Pool, string) {
	b.Helper()
	config, err := pgxpool.ParseConfig(os.Getenv(registry.Postgres.Variable))
	if err != nil {
		b.Fatal(err)
	}
	config.MaxConns = int32(limit + 8)
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	if err != nil {
		b.Fatal(err)
	}
	name := "raw_" + strings.ToLower(rand.Text()[:8])
	if _, err := pool.Exec(b.Context(), "CREATE SCHEMA "+name); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP SCHEMA "+name+" CASCADE"); err != nil {
			b.Error(err)
		}
		pool.Close()
	})
	return pool, name
}

func openRawPostgres(b *testing.B, limit int) (func() error, func(int, func()) error) {
	pool, name := rawPool(b, limit)
	table := name + ".queue"
	if _, err := pool.Exec(b.Context(), "CREATE TABLE "+table+" (id bigint GENERATED ALWAYS AS "+
		"IDENTITY PRIMARY KEY, body bytea NOT NULL, attempt integer NOT NULL DEFAULT 0, "+
		"due timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = 50)"); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 256)
	put := func() error {
		_, err := pool.Exec(b.Context(), "INSERT INTO "+table+" (body) VALUES ($1)", body)
		return err
	}
	take := "UPDATE " + table + " SET attempt = attempt + 1, due = now() + $1 WHERE id = (" +
		"SELECT id FROM " + table + " WHERE due <= now() ORDER BY id FOR UPDATE SKIP LOCKED " +
		"LIMIT 1) RETURNING id, body, attempt, set_config('synchronous_commit', 'off', true)"
	return put, func(n int, run func()) error {
		for range n {
			var id int64
			var body []byte
			var attempt int
			if err := pool.QueryRow(b.Context(), take, 5*time.Second).Scan(&id, &body, &attempt,
				nil); err != nil {
				return err
			}
			run()
			if _, err := pool.Exec(b.Context(), "DELETE FROM "+table+" WHERE id = $1",
				id); err != nil {
				return err
			}
		}
		return nil
	}
}

type rawJob struct {
	Body []byte `json:"body"`
}

func (rawJob) Kind() string { return "raw" }

func openRawRiver(b *testing.B, limit int) (func() error, func(int, func()) error) {
	pool, name := rawPool(b, limit)
	driver, log := riverpgxv5.New(pool), slog.New(slog.DiscardHandler)
	migrations, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: name, Logger: log})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := migrations.Migrate(b.Context(), rivermigrate.DirectionUp, nil); err != nil {
		b.Fatal(err)
	}
	gate, worked := make(chan struct{}), make(chan struct{}, limit)
	var first sync.WaitGroup // as many jobs as may run
	var begun atomic.Int64
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[rawJob]) error {
		if int(begun.Add(1)) <= min(limit, b.N) {
			first.Done()
		}
		<-gate
		worked <- struct{}{}
		return nil
	}))
	client, err := river.NewClient(driver, &river.Config{Schema: name, Logger: log,
		Workers:       workers,
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: limit}},
		FetchCooldown: time.Millisecond, FetchPollInterval: 20 * time.Millisecond})
	if err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 256)
	put := func() error {
		_, err := client.Insert(b.Context(), rawJob{body}, nil)
		return err
	}
	return put, func(n int, run func()) error {
		first.Add(min(limit, n))
		if err := client.Start(context.WithoutCancel(b.Context())); err != nil {
			return err
		}
		first.Wait()
		b.ResetTimer() // the strategy has been started before, too
		close(gate)
		for range n {
			<-worked
			run()
		}
		b.StopTimer()
		return client.Stop(b.Context())
	}
}

func TestPostgresLeavesNothing(t *testing.T) {
	ctx := t.Context()
	serve(t, strategies.MustParse("postgres_queue").Spec) // for both
	for _, text := range []string{"postgres_queue", "river:cooldown=1ms,poll=20ms"} {
		t.Run(text, func(t *testing.T) {
			checkNoLeftovers(t, text)
			conn, err := pgx.Connect(ctx, os.Getenv(registry.Postgres.Variable))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(ctx)
			for what, query := range map[string]string{
				"schemas": "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'poolbench%'",
				"sessions": "SELECT count(*) FROM pg_stat_activity " +
					"WHERE application_name LIKE 'poolbench%'",
			} {
				left := -1
				for range 20 { // a session needs a moment to end
					if err := conn.QueryRow(ctx, query).Scan(&left); err != nil {
						t.Fatal(err)
					}
					if left == 0 {
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
				if left != 0 {
					t.Errorf("%d %s are left", left, what)
				}
			}
		})
	}
}

func TestPostgresErrors(t *testing.T) {
	for _, address := range []string{
		"postgres://some%2Fbody:s3cr%2Ft@127.0.0.1:1/postgres",   // no server
		"postgres://some%2Fbody:s3cr%2Ft@127.0.0.1:none/s3cr/t?", // not an address
		"host=127.0.0.1 port=1 user=somebody password=s3cr/t",
	} {
		t.Setenv(registry.Postgres.Variable, address)
		for _, text := range []string{"postgres_queue", "river"} {
			v := strategies.MustParse(text)
			s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 1, Values: v.Values},
				strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
			if err == nil {
				_ = s.Drain(t.Context())
				t.Fatal("there is an instance")
			}
			for _, secret := range []string{"127.0.0.1:1/", "s3cr", "127.0.0.1:none", "\n"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%q is in %q", secret, err)
				}
			}
			t.Log(err)
		}
	}
}

// Only the unused schema of a killed process is removed. A schema of another host is reported.
func TestPostgresLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	v := strategies.MustParse("postgres_queue")
	serve(t, v.Spec)
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, os.Getenv(registry.Postgres.Variable))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	dead := exec.Command(os.Args[0], "-test.run", "^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	used := "left_" + strings.ToLower(rand.Text()[:8])
	mark := func(host string, process int) string {
		return fmt.Sprintf("poolbench: {%q:%q,%q:%d}", "Host", host, "Process", process)
	}
	schemas := map[string]string{
		used + "_dead": mark(host, dead.Process.Pid),
		used + "_live": mark(host, os.Getpid()),
		used + "_away": mark("elsewhere", 1),
		used + "_mine": "of somebody",
		used:           mark(host, dead.Process.Pid),
	}
	for name, comment := range schemas {
		if _, err := conn.Exec(ctx, "CREATE SCHEMA "+name+"; COMMENT ON SCHEMA "+name+" IS '"+
			comment+"'; CREATE TABLE "+name+".queue (id bigint)"); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := conn.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+name+
				" CASCADE"); err != nil {
				t.Error(err)
			}
		}()
	}
	if _, err := conn.Exec(ctx, "SET application_name = 'poolbench "+used+"'"); err != nil {
		t.Fatal(err)
	}
	lines, err := v.Spec.Clean(ctx)
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(lines, "\n")
	for name := range schemas {
		var there bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)",
			name).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if gone := name == used+"_dead"; there == gone {
			t.Errorf("%s is there: %v", name, there)
		}
		if is, want := strings.Contains(told, strconv.Quote(name)), name == used+"_dead" ||
			name == used+"_away"; is != want {
			t.Errorf("%s is named: %v, in %s", name, is, told)
		}
	}
}

// The next run must find the schema by its mark, and keep the schema of a living instance.
func TestPostgresKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, text := range []string{"postgres_queue", "river"} {
		v := strategies.MustParse(text)
		serve(t, v.Spec)
		s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 1, Values: v.Values},
			strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := v.Spec.Clean(t.Context())
		if err != nil || len(lines) > 0 {
			t.Errorf("%s: %q, error %v", text, lines, err)
		}
		conn, err := pgx.Connect(t.Context(), os.Getenv(registry.Postgres.Variable))
		if err != nil {
			t.Fatal(err)
		}
		var marked int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE "+
			"obj_description(oid, 'pg_namespace') LIKE $1", fmt.Sprintf("poolbench: {%%:%d}",
			os.Getpid())).Scan(&marked); err != nil {
			t.Fatal(err)
		}
		if marked != 1 {
			t.Errorf("%s has marked %d schemas", text, marked)
		}
		if err := errors.Join(conn.Close(t.Context()), s.Drain(t.Context())); err != nil {
			t.Error(err)
		}
	}
}
