package durable

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// Only changes that the server does not make itself must be reported.
func TestBlockFiles(t *testing.T) {
	for name, c := range map[string]struct {
		meddle func(path string) error
		looks  int // checks until it is found
		says   string
	}{
		"appended": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(make([]byte, 5*blockPage))
			return errors.Join(err, f.Close())
		}, 3, ""},
		"replaced by another": {func(path string) error {
			beside := path + ".tmp"
			return errors.Join(os.WriteFile(beside, make([]byte, 7), 0o600),
				os.Rename(beside, path))
		}, 3, ""},
		"removed, with a later one": {func(path string) error {
			return errors.Join(os.WriteFile(filepath.Join(filepath.Dir(path), "3.blk"), nil, 0o600),
				os.Remove(path))
		}, 3, ""},
		"truncated": {func(path string) error { return os.Truncate(path, 100) }, 1,
			"was made shorter"},
		// the server's later appends leave a hole
		"truncated and appended to": {func(path string) error {
			return errors.Join(os.Truncate(path, 0), os.Truncate(path, 50*blockPage))
		}, 1, "were changed"},
		"overwritten": {func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte("x"), 7*blockPage+3)
			return errors.Join(err, f.Close())
		}, 1, "were changed"},
		"deleted": {os.Remove, 2, "files are gone"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "2.blk")
			for _, name := range []string{"1.blk", "2.blk", "index.db", "2.blk.tmp"} {
				if err := os.WriteFile(filepath.Join(dir, name),
					bytes.Repeat([]byte("message"), 40*blockPage/7), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			b := blockFiles{dir: dir}
			if err := b.check(); err != nil {
				t.Fatal(err)
			}
			if err := c.meddle(path); err != nil {
				t.Fatal(err)
			}
			var err error
			looks := 0
			for ; err == nil && looks < c.looks; looks++ {
				err = b.check()
			}
			switch {
			case c.says == "":
				if err != nil {
					t.Error(err)
				}
			case err == nil || !strings.Contains(err.Error(), c.says) || looks != c.looks:
				t.Errorf("look %d: %v; want %q", looks, err, c.says)
			}
			if errors.Is(err, engine.ErrGone) != (name == "deleted") {
				t.Error(err)
			}
		})
	}
}

func TestBlocksOfServer(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const n = 200_000
	v := strategies.MustParse("jetstream:dir=" + t.TempDir())
	j := &jetStream{health: newHealth(embeddedAway)}
	if err := j.open(t.Context(), strategies.Params{Limit: 1, Values: v.Values}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := j.close(); err != nil {
			t.Error(err)
		}
	}()
	stream, err := j.js.Stream(t.Context(), j.name)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]bool{}
	for i := range n {
		if err := j.put(t.Context(), make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		// delete four of five older messages, so the server compacts and finally removes files
		if seq := i - 1000; seq > 0 && seq%5 > 0 {
			if err := stream.DeleteMsg(t.Context(), uint64(seq)); err != nil {
				t.Fatal(err)
			}
		}
		if seq := i - 15_000; seq > 0 && seq%5 == 0 {
			if err := stream.DeleteMsg(t.Context(), uint64(seq)); err != nil {
				t.Fatal(err)
			}
		}
		if i%500 == 0 {
			if err := j.inspect(); err != nil {
				t.Fatalf("after %d messages: %v", i, err)
			}
			found, _ := filepath.Glob(filepath.Join(hub.StreamDir(j.embedded, j.name), "*.blk"))
			for _, name := range found {
				blocks[name] = true
			}
		}
	}
	t.Logf("%d files", len(blocks))
	if len(blocks) < 2 {
		t.Error("the server has written one file")
	}
}

// Leases of an earlier process must end after the lease length, whatever its clock was.
func TestSQLiteClock(t *testing.T) {
	for name, step := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "queue.db")
			var q *sqliteQueue
			open := func(now time.Time) {
				q = &sqliteQueue{health: newHealth(embeddedAway), lease: minLease,
					remove: func() error { return nil }, wake: make(chan struct{}, 1)}
				if err := q.open(file, "normal", now); err != nil {
					t.Fatal(err)
				}
			}
			receive := func() engine.Message {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				m, err := q.receive(ctx)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			open(time.Now().Add(step))
			if err := q.add(t.Context(), []byte("task")); err != nil {
				t.Fatal(err)
			}
			receive().(*sqliteMessage).lease.end() // like a kill
			if err := q.close(); err != nil {
				t.Fatal(err)
			}
			open(time.Now())
			m := receive()
			if string(m.Body()) != "task" || m.Attempt() != 2 {
				t.Errorf("%q, attempt %d", m.Body(), m.Attempt())
			}
			if err := errors.Join(m.Reply(engine.Reply{}), q.close()); err != nil {
				t.Error(err)
			}
		})
	}
}
