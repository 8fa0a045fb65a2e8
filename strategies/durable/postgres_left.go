package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

// A schemaOwner is the process whose schema it is, which removes the schema when it ends. It stands
// in the schema's comment.
type schemaOwner struct {
	Host    string
	Process int
}

// ownerMark begins the comment of a schema.
const ownerMark = "poolbench: "

// applicationName is that of the sessions that use a schema. PostgreSQL keeps 63 bytes of a name.
func applicationName(schema string) string {
	name := "poolbench " + schema
	return name[:min(len(name), 63)]
}

// ownerOf is the owner of a schema that is opened here: this process, or the one that has started
// it and goes on with the schema in the next one.
func ownerOf(p strategies.Params) schemaOwner {
	host, _ := os.Hostname() // "" is nobody's
	o := schemaOwner{host, os.Getpid()}
	if p.Resume != nil {
		o.Process = os.Getppid()
	}
	return o
}

// mark writes the owner into the comment of the schema.
func (s *postgresSchema) mark(ctx context.Context, o schemaOwner) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(ownerMark+string(text), "'", "''") + "'"
	_, err = s.pool.Exec(ctx, s.in("COMMENT ON SCHEMA {schema} IS "+quoted))
	return err
}

// leftSchemas finds the schemas with an owner's mark that no session uses.
const leftSchemas = `
SELECT n.nspname, substr(obj_description(n.oid, 'pg_namespace'), $2) FROM pg_namespace n
WHERE starts_with(obj_description(n.oid, 'pg_namespace'), $1) AND NOT EXISTS (
	SELECT FROM pg_stat_activity a WHERE a.application_name = left('poolbench ' || n.nspname, 63))
ORDER BY 1`

// cleanPostgres removes the schemas of processes of this host that were killed, and returns a line
// for each. Of a schema of another host it cannot know whether its owner lives: the line says how
// to remove it.
func cleanPostgres(ctx context.Context) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, opening)
	defer cancel()
	config, err := postgresConfig()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, nil // as the run will report
	}
	defer func() { _ = conn.Close(ctx) }() // of no interest: it has answered
	rows, err := conn.Query(ctx, leftSchemas, ownerMark, len(ownerMark)+1)
	if err != nil {
		return nil, registry.Postgres.Tell(err)
	}
	left := map[string]schemaOwner{}
	var names []string
	var name, text string
	if _, err := pgx.ForEachRow(rows, []any{&name, &text}, func() error {
		var o schemaOwner
		if json.Unmarshal([]byte(text), &o) == nil {
			left[name], names = o, append(names, name)
		}
		return nil
	}); err != nil {
		return nil, registry.Postgres.Tell(err)
	}
	host, _ := os.Hostname() // "" is nobody's
	for _, name := range names {
		quoted, o := pgx.Identifier{name}.Sanitize(), left[name]
		if o.Host != host || host == "" {
			lines = append(lines, fmt.Sprintf("PostgreSQL has the schema %q of process %d on %q, "+
				"which no session uses; if that process has ended: DROP SCHEMA %s CASCADE", name,
				o.Process, o.Host, quoted))
			continue
		}
		if lives(o.Process) {
			continue
		}
		if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+quoted+" CASCADE"); err != nil {
			return lines, registry.Postgres.Tell(err)
		}
		lines = append(lines, fmt.Sprintf("removed the schema %q from PostgreSQL, which process %d "+
			"left there", name, o.Process))
	}
	return lines, nil
}

// lives reports whether there is a process of that number. A number that is used again keeps a
// schema that could go.
func lives(process int) bool {
	p, err := os.FindProcess(process)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) // which does nothing to it
}
