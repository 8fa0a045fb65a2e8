package durable

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// syncCommitKey is the parameter of strategies that keep their tasks in PostgreSQL.
var syncCommitKey = param.Key{Name: "sync", Kind: param.Choice, Default: "on",
	Choices: []string{"off", "on"},
	Doc: "synchronous_commit of its sessions; on: Submit returns after an fsync on the server " +
		"(whose owner can turn that off); off: the fsync comes some tenths of a second later, " +
		"and the last tasks are lost if the server itself is killed"}

func syncCommitDurability(p strategies.Params) strategies.Durability {
	if p.Values.Choice("sync") == "on" {
		return strategies.PowerSafe
	}
	return strategies.KillSafe
}

// How many connections a strategy uses at most, if the address has no pool_max_conns: a server
// allows 100, and more than some dozens only wait for each other there.
const mostConnections = 32

// What a statement may take: less than a user waits for an answer when the server is gone.
const answering = 5 * time.Second

// openPostgres makes a pool whose sessions have the parameter sync. It holds connections that idle,
// so that no statement waits for a new one.
func openPostgres(ctx context.Context, p strategies.Params) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(Postgres.address())
	if err != nil { // err quotes the address, and finds the password in it only as a rule
		return nil, errors.New(Postgres.Variable + " is not in the form " + Postgres.Example +
			" or host=127.0.0.1 user=…")
	}
	if !strings.Contains(Postgres.address(), "pool_max_conns") {
		// besides consumers there are submitters, renewals and housekeeping
		config.MaxConns = int32(min(p.Limit+8, mostConnections))
	}
	config.ConnConfig.ConnectTimeout = answering
	config.ConnConfig.RuntimeParams["application_name"] = "poolbench"
	config.ConnConfig.RuntimeParams["synchronous_commit"] = p.Values.Choice("sync")
	return pgxpool.NewWithConfig(ctx, config)
}

// createSchema makes the schema of a queue, which dropSchema removes.
func createSchema(ctx context.Context, pool *pgxpool.Pool, name string) error {
	_, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+pgx.Identifier{name}.Sanitize())
	return err
}

func dropSchema(pool *pgxpool.Pool, name string) error {
	return within(settled, func(ctx context.Context) error {
		_, err := pool.Exec(ctx, "DROP SCHEMA IF EXISTS "+pgx.Identifier{name}.Sanitize()+
			" CASCADE")
		return err
	})
}

// within calls do with a context that ends after d, whatever else has ended.
func within(d time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return do(ctx)
}
