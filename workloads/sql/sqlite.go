package sql

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/poolbench/poolbench/internal/files"
)

// A write-ahead log allows reads concurrent with SQLite's single writer. Only checkpoints are
// synchronised with the disk.
func newSQLite(ctx context.Context, rows int) (*database, error) {
	dir, err := files.NewScratch("", "sql")
	if err != nil {
		return nil, err
	}
	file := url.URL{Scheme: "file", Path: filepath.Join(dir.Path, "data"),
		RawQuery: url.Values{"_pragma": {
			"busy_timeout(3600000)", "journal_mode(WAL)", "synchronous(NORMAL)",
		}}.Encode()}
	connector, err := sqlite.NewConnector(file.String())
	if err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	d := &database{
		DB:     sql.OpenDB(connector),
		read:   "SELECT count(*) FROM data WHERE value >= 0",
		write:  "UPDATE data SET value = value + 1 WHERE id = ?",
		remove: func(db *sql.DB) error { return errors.Join(db.Close(), dir.Remove()) },
		redact: func(err error) error { return err },
	}
	_, err = d.ExecContext(ctx,
		"CREATE TABLE data (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
	if err == nil {
		_, err = d.ExecContext(ctx, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM "+
			"n WHERE i+1 < ?) INSERT INTO data SELECT i, i FROM n", rows)
	}
	if err != nil {
		return nil, errors.Join(err, d.remove(d.DB))
	}
	return d, nil
}
