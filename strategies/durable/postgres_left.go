package durable

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/poolbench/poolbench/internal/registry"
)

// PostgreSQL keeps 63 bytes of the name.
func applicationName(schema string) string {
	name := "poolbench " + schema
	return name[:min(len(name), 63)]
}

func (s *postgresSchema) mark(ctx context.Context, o owner) error {
	quoted := "'" + strings.ReplaceAll(o.mark(), "'", "''") + "'"
	_, err := s.pool.Exec(ctx, s.inSchema("COMMENT ON SCHEMA {schema} IS "+quoted))
	return err
}

const leftSchemas = `
SELECT n.nspname, obj_description(n.oid, 'pg_namespace') FROM pg_namespace n
WHERE starts_with(obj_description(n.oid, 'pg_namespace'), $1) AND NOT EXISTS (
	SELECT FROM pg_stat_activity a WHERE a.application_name = left('poolbench ' || n.nspname, 63))
ORDER BY 1`

// cleanPostgres removes the schemas of killed processes of this host and returns a line for each.
// For a schema of another host, whose owner may be alive, the line explains how to remove it.
func cleanPostgres(ctx context.Context) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	config, err := postgresConfig()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, nil // the run will report the error
	}
	defer func() { _ = conn.Close(ctx) }() // after an answer its error does not matter
	rows, err := conn.Query(ctx, leftSchemas, ownerMark)
	if err != nil {
		return nil, registry.Postgres.PublicError(err)
	}
	left := map[string]owner{}
	var names []string
	var name, text string
	if _, err := pgx.ForEachRow(rows, []any{&name, &text}, func() error {
		if o, is := parseOwner(text); is {
			left[name], names = o, append(names, name)
		}
		return nil
	}); err != nil {
		return nil, registry.Postgres.PublicError(err)
	}
	for _, name := range names {
		quoted, o := pgx.Identifier{name}.Sanitize(), left[name]
		if !o.isHere() {
			lines = append(lines, fmt.Sprintf("PostgreSQL has the schema %q of process %d on %q, "+
				"which no session uses; if that process has ended: DROP SCHEMA %s CASCADE", name,
				o.Process, o.Host, quoted))
			continue
		}
		if !o.hasEnded() {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+quoted+" CASCADE"); err != nil {
			return lines, registry.Postgres.PublicError(err)
		}
		lines = append(lines, o.removedLine("schema", name, registry.Postgres.Product))
	}
	return lines, nil
}
