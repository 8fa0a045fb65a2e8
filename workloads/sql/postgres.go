package sql

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/internal/text"
)

// newPostgres creates a schema with a random name, for which the user of the DSN needs the
// permission. A killed run leaves its schema behind.
func newPostgres(ctx context.Context, rows int) (*database, error) {
	dsn := os.Getenv(registry.DSN)
	if dsn == "" {
		return nil, errors.New("postgres wants the environment variable " + registry.DSN +
			", as in postgres://user@127.0.0.1:5432/database")
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil { // err quotes the DSN and does not reliably hide the password in it
		return nil, errors.New(registry.DSN +
			" is not in the form postgres://user@127.0.0.1:5432/database or host=127.0.0.1 user=…")
	}
	var name [8]byte
	rand.Read(name[:]) // never fails
	schema := "poolbench_" + hex.EncodeToString(name[:])
	d := &database{
		DB:    stdlib.OpenDB(*config),
		read:  "SELECT count(*) FROM " + schema + ".data WHERE value >= 0",
		write: "UPDATE " + schema + ".data SET value = value + 1 WHERE id = $1",
		// does not wrap err, because wrapped errors contain secrets
		redact: func(err error) error {
			return errors.New(text.Discreet(err.Error(), dsn, config.Password))
		},
	}
	d.remove = func(db *sql.DB) error {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		_, err := db.ExecContext(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
		return errors.Join(err, db.Close())
	}
	if err := d.PingContext(ctx); err != nil {
		return nil, errors.Join(d.redact(err), d.Close())
	}
	for _, statement := range []string{
		"CREATE SCHEMA " + schema,
		"CREATE TABLE " + schema + ".data (id bigint PRIMARY KEY, value bigint NOT NULL)",
	} {
		if err == nil {
			_, err = d.ExecContext(ctx, statement)
		}
	}
	if err == nil {
		_, err = d.ExecContext(ctx, "INSERT INTO "+schema+
			".data SELECT i, i FROM generate_series(0, $1::bigint - 1) AS i", rows)
	}
	if err != nil {
		return nil, d.redact(errors.Join(err, d.remove(d.DB)))
	}
	return d, nil
}
