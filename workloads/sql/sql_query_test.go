package sql

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/workloads"
)

func withDatabases(t *testing.T, test func(t *testing.T, db string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite") })
	t.Run("postgres", func(t *testing.T) {
		needPostgres(t)
		test(t, "postgres")
	})
}

func query(t *testing.T, db string, args ...string) *sqlQuery {
	t.Helper()
	call, err := param.Parse("sql_query:" + strings.Join(append(args, "db="+db), ","))
	if err != nil {
		t.Fatal(err)
	}
	v, err := workloads.Resolve(call)
	if err != nil {
		t.Fatal(err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	q := w.(*sqlQuery)
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q
}

func (w *sqlQuery) sum(t *testing.T) (n int) {
	t.Helper()
	table := strings.TrimSuffix(strings.TrimPrefix(w.db.read, "SELECT count(*) FROM "),
		" WHERE value >= 0")
	if err := w.db.QueryRow("SELECT sum(value) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A write must add 1 to a value, and a read must return all rows.
func TestQueries(t *testing.T) {
	withDatabases(t, func(t *testing.T, db string) {
		w := query(t, db, "rows=100", "writes=0.5", "timeout=1h")
		if w.Mean() <= 0 || w.C2() < 0 {
			t.Errorf("mean %v, C² %v", w.Mean(), w.C2())
		}
		before, writes := w.sum(t), 0
		var wg sync.WaitGroup
		for g := range uint64(4) {
			for seq := g; seq < 200; seq += 4 {
				if w.Rare(seq) {
					writes++
				}
			}
			wg.Go(func() {
				for seq := g; seq < 200; seq += 4 {
					if err := w.Do(context.Background(), seq); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if after := w.sum(t); after-before != writes || writes == 0 {
			t.Errorf("%d writes changed the sum by %d", writes, after-before)
		}
		if s := w.db.Stats(); s.MaxOpenConnections != 2 || s.OpenConnections > 2 || s.InUse != 0 {
			t.Errorf("connections: %+v", s)
		}
	})
}

func TestQueriesWithoutConnection(t *testing.T) {
	withDatabases(t, func(t *testing.T, db string) {
		w := query(t, db, "rows=10", "conns=1", "timeout=100ms")
		taken, err := w.db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Do(context.Background(), 1); err == nil ||
			err.Error() != "no answer within 100ms" || errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		w.timeout = 1 << 40
		ctx, cancel := context.WithCancel(context.Background())
		failed := make(chan error)
		go func() { failed <- w.Do(ctx, 1) }()
		cancel()
		if err := <-failed; err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
		if err := taken.Close(); err != nil {
			t.Error(err)
		}
		if err := w.Do(context.Background(), 1); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// The timeout must also free the connection.
func TestQueriesThatDoNotEnd(t *testing.T) {
	withDatabases(t, func(t *testing.T, db string) {
		w := query(t, db, "rows=10", "conns=1", "timeout=100ms")
		read := w.db.read
		w.db.read = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT 1-i FROM n) SELECT " +
			"count(*) FROM n"
		if err := w.Do(context.Background(), 1); err == nil ||
			err.Error() != "no answer within 100ms" {
			t.Errorf("%v", err)
		}
		w.db.read, w.timeout = read, 1<<40
		if err := w.Do(context.Background(), 1); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// A changed table must be an error, not a faster task.
func TestQueriesOfAnotherTable(t *testing.T) {
	withDatabases(t, func(t *testing.T, db string) {
		w := query(t, db, "rows=10", "timeout=1h")
		w.rows = 20
		if err := w.Do(context.Background(), 1); err == nil ||
			err.Error() != "the table has 10 rows, want 20" {
			t.Errorf("reading: %v", err)
		}
		w.P = 1
		if err := w.Do(context.Background(), 15); err == nil ||
			err.Error() != "0 rows were changed, want 1" {
			t.Errorf("writing: %v", err)
		}
	})
}

func TestQueriesClose(t *testing.T) {
	withDatabases(t, func(t *testing.T, db string) {
		w := query(t, db, "rows=10")
		for range 2 {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := w.Do(context.Background(), 1); err == nil ||
			!strings.Contains(err.Error(), "closed") {
			t.Errorf("after Close: %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := w.Do(ctx, 1); err != context.Canceled {
			t.Errorf("with an ended context: %v", err)
		}
	})
}

// All files must be in one temporary directory, which Close removes.
func TestSQLiteIsTemporary(t *testing.T) {
	temp := t.TempDir() + "/a?b %41#c"
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	w := query(t, "sqlite", "rows=10")
	made, err := os.ReadDir(temp)
	if err != nil || len(made) != 1 || !strings.HasPrefix(made[0].Name(), "poolbench-sql-") {
		t.Fatalf("it made %v, %v", made, err)
	}
	if _, err := os.Stat(temp + "/" + made[0].Name() + "/data-wal"); err != nil {
		t.Errorf("no write-ahead log: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	t.Setenv("TMPDIR", temp+"/none")
	if d, err := newSQLite(context.Background(), 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v, %v", d, err)
	}
}

func TestImpossibleQueries(t *testing.T) {
	for arg, want := range map[string]string{
		"db=oracle":    `db: want postgres or sqlite, got "oracle"`,
		"conns=0":      "conns: must be positive, got 0",
		"timeout=0s":   "timeout: must be positive and at most 1h, got 0s",
		"timeout=2h":   "timeout: must be positive and at most 1h, got 2h",
		"rows=0":       "rows: must be between 1 and 1000000, got 0",
		"rows=1000001": "rows: must be between 1 and 1000000, got 1000001",
		"writes=2":     "writes: must be between 0 and 1, got 2",
	} {
		key, value, _ := strings.Cut(arg, "=")
		if v, err := workloads.Resolve(param.Call{Name: "sql_query",
			Args: []param.Arg{{Key: key, Value: value}}}); err == nil ||
			err.Error() != "workload sql_query: "+want {
			t.Errorf("%s: %v, %v; want the error %s", arg, v, err, want)
		}
	}
}
