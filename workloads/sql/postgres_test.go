package sql

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/workloads"
)

func postgresError(t *testing.T, dsn string) string {
	t.Helper()
	t.Setenv(registry.DSN, dsn)
	v, err := workloads.Resolve(param.Call{Name: "sql_query",
		Args: []param.Arg{{Key: "db", Value: "postgres"}}})
	if err != nil {
		t.Fatalf("parsing looked at the environment: %v", err)
	}
	w, err := v.Spec.Build(1, v.Values)
	if err == nil {
		t.Fatalf("%q built %v", dsn, w)
	}
	return err.Error()
}

func TestPostgresKeepsItsSecret(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	port := strings.TrimPrefix(address, "127.0.0.1:")
	listener.Close() // nothing listens on the address now
	for _, dsn := range []string{
		"postgres://bench:hunter2@" + address + "/data",
		"postgres://bench:hunter2%40x@" + address + ",127.0.0.1:1/data",
		"postgres://bench:hunter2@nowhere.invalid/data",
		"postgres://bench@" + address + "/data?password=hunter2",
		"postgres://bench:hunter2@" + address + ":x/data",
		"postgres://bench:hunter2@" + address + "/data?sslmode=hunter2",
		"postgres://bench:hunter2 @" + address + "/%zz",
		"host=127.0.0.1 port=" + port + " user=bench password=hunter2",
		"host=127.0.0.1 port=" + port + " password='hunter2",
		"password=hunter2 port=x",
		"hunter2",
		"postgres://bench:hunter2@" + address + "/data\nhunter2",
	} {
		got := postgresError(t, dsn)
		if strings.Contains(got, dsn) || strings.Contains(got, "hunter2") ||
			strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q: the error is %q", dsn, got)
		}
		if !strings.HasPrefix(got, "workload sql_query:db=postgres: db: ") {
			t.Errorf("%q: the error is %q", dsn, got)
		}
	}
	if got, want := postgresError(t, ""),
		"workload sql_query:db=postgres: db: postgres wants the environment variable "+
			registry.DSN; !strings.HasPrefix(got, want) {
		t.Errorf("without a DSN: %s", got)
	}
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv(registry.DSN) != "" || servers.Postgres.Missing() != nil {
		return m.Run()
	}
	s, err := servers.Postgres.Start(context.Background(), servers.Options{})
	if err == nil {
		err = os.Setenv(registry.DSN, s.Address())
	}
	code := 1
	if err == nil {
		code = m.Run()
		err = s.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func needPostgres(t *testing.T) {
	t.Helper()
	if os.Getenv(registry.DSN) == "" {
		t.Skip(servers.Postgres.Missing())
	}
}

func TestPostgresSchemas(t *testing.T) {
	needPostgres(t)
	first, second, watch := query(t, "postgres", "rows=10"), query(t, "postgres", "rows=20"),
		query(t, "postgres", "rows=1")
	for i, w := range []*sqlQuery{first, second} {
		schema, _, _ := strings.Cut(strings.TrimPrefix(w.db.write, "UPDATE "), ".")
		var n int
		for _, want := range []int{1, 0} {
			if err := watch.db.QueryRow("SELECT count(*) FROM pg_namespace WHERE nspname = $1",
				schema).Scan(&n); err != nil || n != want {
				t.Errorf("workload %d: %d schemas of the name %s, %v, want %d", i, n,
					schema, err, want)
			}
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Server errors must be one line without secrets.
func TestPostgresQueryErrors(t *testing.T) {
	needPostgres(t)
	w := query(t, "postgres", "rows=10")
	w.db.read = "SELECT '" + strings.ReplaceAll(os.Getenv(registry.DSN), "'", "''") + "'::int"
	if err := w.Do(context.Background(), 1); err == nil ||
		strings.Contains(err.Error(), os.Getenv(registry.DSN)) ||
		!strings.Contains(err.Error(), "…") {
		t.Errorf("%v", err)
	}
}
