package durable

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

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

// A server allows 100 connections by default, and more than some dozen only wait for each other.
const maxConnections = 32

type postgresSchema struct {
	*health
	pool      *pgxpool.Pool
	name      string
	temporary bool
	resumed   bool
}

func newPostgresSchema(p strategies.Params) postgresSchema {
	return postgresSchema{health: newHealth(p.Values.Duration(awayKey.Name)), name: queueName(p),
		temporary: isTemporary(p), resumed: p.Resume != nil}
}

func postgresConfig() (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(registry.Postgres.Address())
	if err != nil { // err quotes the address, possibly with the password
		return nil, errors.New(registry.Postgres.Variable + " is not in the form " +
			registry.Postgres.Example + " or host=127.0.0.1 user=…")
	}
	config.ConnConfig.ConnectTimeout = openTimeout
	return config, nil
}

// The pool keeps idle connections, so no statement waits for a new one.
func (s *postgresSchema) open(
	ctx context.Context, p strategies.Params, fill func(ctx context.Context) error,
) error {
	config, err := postgresConfig()
	if err != nil {
		return err
	}
	if !strings.Contains(registry.Postgres.Address(), "pool_max_conns") {
		config.MaxConns = int32(min(p.Limit+8, maxConnections))
	}
	config.ConnConfig.RuntimeParams["application_name"] = applicationName(s.name)
	config.ConnConfig.RuntimeParams["synchronous_commit"] = p.Values.Choice("sync")
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err == nil {
		_, err = s.pool.Exec(ctx, s.inSchema("CREATE SCHEMA IF NOT EXISTS {schema}"))
	}
	if err == nil {
		err = s.mark(ctx, ownerOf(p))
	}
	if err == nil {
		err = fill(ctx)
	}
	return registry.Postgres.PublicError(err)
}

func (s *postgresSchema) close() (err error) {
	if s.pool == nil {
		return nil
	}
	if s.temporary && !(s.resumed && s.unopened.Load()) {
		err = withTimeout(func(ctx context.Context) error {
			_, err := s.pool.Exec(ctx, s.inSchema("DROP SCHEMA IF EXISTS {schema} CASCADE"))
			return err
		})
	}
	s.pool.Close()
	return registry.Postgres.PublicError(err)
}

func (s *postgresSchema) inSchema(text string) string {
	return strings.ReplaceAll(text, "{schema}", pgx.Identifier{s.name}.Sanitize())
}

func (s *postgresSchema) exec(statement string, args ...any) error {
	return s.within(context.Background(), requestTimeout, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, statement, args...)
		return registry.Postgres.PublicError(err)
	})
}

func (s *postgresSchema) count(ctx context.Context, query string) (n int, err error) {
	err = s.pool.QueryRow(ctx, query).Scan(&n)
	return n, registry.Postgres.PublicError(err)
}
