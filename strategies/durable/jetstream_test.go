package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/strategies"
)

func TestJetStreamRefuses(t *testing.T) {
	v := strategies.MustParse("jetstream:store=memory,dir=" + t.TempDir())
	j := &jetStream{health: newHealth(embeddedAway)}
	if err := j.open(t.Context(), strategies.Params{Limit: 1, Values: v.Values}); err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := j.put(t.Context(), make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.js.UpdateStream(t.Context(), jetstream.StreamConfig{Name: j.name,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
		MaxMsgSize: 10}); err != nil {
		t.Fatal(err)
	}
	err := j.put(t.Context(), make([]byte, 20))
	if err == nil || !strings.Contains(err.Error(), "message size exceeds maximum allowed") {
		t.Errorf("a message that is too long: %v", err)
	}
}

// A killed command's child may survive, and the next command remove its directory. The child must
// not create it again.
func TestDirectoryIsNotRecreated(t *testing.T) {
	swept := filepath.Join(t.TempDir(), "swept")
	for _, name := range []string{"jetstream", "sqlite_queue"} {
		v := strategies.MustParse(name + ":dir=" + swept)
		p := strategies.Params{Limit: 1, Values: v.Values, Resume: &strategies.Resume{Name: "left",
			Task: func(uint64) *strategies.Task { return nil }}}
		if _, err := v.Spec.Start(t.Context(), p, nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(swept); err == nil {
			t.Errorf("%s has made its parent", name)
		}
	}
}

// The crash command examines the files of a failed store.
func TestFailedStoreKeepsFiles(t *testing.T) {
	for _, failed := range []bool{false, true} {
		p := strategies.Params{Limit: 1, Values: strategies.MustParse("sqlite_queue:dir=" +
			t.TempDir()).Values, Resume: &strategies.Resume{Name: "failed", Remove: true}}
		h := newHealth(embeddedAway)
		dir, remove, err := makeDir(p, h)
		if err != nil {
			t.Fatal(err)
		}
		if failed {
			h.failWith(errors.New("disk is full"))
		}
		if err := remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); (err == nil) != failed {
			t.Errorf("failed %v: %v", failed, err)
		}
	}
}

// Drain must wait until the embedded server has processed all acknowledgements.
func TestJetStreamAcknowledges(t *testing.T) {
	v := strategies.MustParse("jetstream:sync=always,dir=" + t.TempDir())
	p := strategies.Params{Limit: 8, Values: v.Values, Resume: &strategies.Resume{Name: "acked",
		Task: func(uint64) *strategies.Task { return nil }}}
	s, err := v.Spec.Start(t.Context(), p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	run := func(context.Context, *strategies.Task) strategies.Result {
		<-gate
		return strategies.Result{}
	}
	for range 300 {
		if err := s.Submit(t.Context(), &strategies.Task{Run: run}); err != nil {
			t.Fatal(err)
		}
	}
	close(gate)
	if err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	j := &jetStream{health: newHealth(embeddedAway)}
	if err := j.open(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	defer j.close()
	stream, err := j.js.Stream(t.Context(), j.name)
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.Msgs; n > 0 {
		t.Errorf("%d messages of tasks that were done are still there", n)
	}
}
