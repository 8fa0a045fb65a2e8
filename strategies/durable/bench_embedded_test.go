package durable_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

func openRawJetStream(b *testing.B, _ int) (func() error, func(n int, run func()) error) {
	s, err := server.NewServer(&server.Options{ServerName: "raw", JetStream: true,
		StoreDir: b.TempDir(), DontListen: true, NoSigs: true, NoLog: true})
	if err != nil {
		b.Fatal(err)
	}
	s.Start()
	b.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		b.Fatal("the server is not ready")
	}
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	js, err := conn.JetStream()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := js.AddStream(&nats.StreamConfig{Name: "raw",
		Retention: nats.WorkQueuePolicy}); err != nil {
		b.Fatal(err)
	}
	pull, err := js.PullSubscribe("raw", "workers", nats.MaxAckPending(-1))
	if err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 256)
	put := func() error {
		_, err := js.Publish("raw", body)
		return err
	}
	return put, func(n int, run func()) error {
		for range n {
			messages, err := pull.Fetch(1)
			if err != nil {
				return err
			}
			run()
			if err := messages[0].Ack(); err != nil {
				return err
			}
		}
		return nil
	}
}

func openRawSQLite(b *testing.B, _ int) (func() error, func(n int, run func()) error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+
		"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE queue (id INTEGER PRIMARY KEY AUTOINCREMENT, " +
		"body BLOB NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, " +
		"due INTEGER NOT NULL DEFAULT 0)"); err != nil {
		b.Fatal(err)
	}
	prepared := func(text string) *sql.Stmt {
		s, err := db.Prepare(text)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	insert := prepared("INSERT INTO queue (body) VALUES (?)")
	take := prepared("UPDATE queue SET attempt = attempt + 1, due = ?1 WHERE id = (SELECT id " +
		"FROM queue WHERE due <= ?2 ORDER BY id LIMIT 1) RETURNING id, body, attempt")
	drop := prepared("DELETE FROM queue WHERE id = ?")
	body := make([]byte, 256)
	put := func() error {
		_, err := insert.Exec(body)
		return err
	}
	return put, func(n int, run func()) error {
		for range n {
			var id, attempt int64
			var got []byte
			now := time.Now()
			if err := take.QueryRow(now.Add(5*time.Second).UnixNano(), now.UnixNano()).Scan(
				&id, &got, &attempt); err != nil {
				return err
			}
			run()
			if _, err := drop.Exec(id); err != nil {
				return err
			}
		}
		return nil
	}
}
