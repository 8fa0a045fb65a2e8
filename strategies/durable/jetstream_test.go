package durable

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/strategies"
)

// TestJetStreamRefuses: what the embedded server says of a message that it does not keep is the
// error of a put.
func TestJetStreamRefuses(t *testing.T) {
	v := strategies.MustParse("jetstream:store=memory,dir=" + t.TempDir())
	j := &jetStream{}
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
