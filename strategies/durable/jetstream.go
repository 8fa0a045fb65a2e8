package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

var _ = register(strategies.Spec{
	Name: "jetstream",
	Summary: "a work queue of NATS JetStream, in a server that is embedded in this process, or " +
		"in your own server",
	UseIf: "accepted tasks must survive the process, at ten thousand tasks a second or more, or " +
		"on many machines",
	Source: "github.com/nats-io/nats-server/v2 and nats.go",
	FIFO:   true,
	Adds:   jetAdds,
	Keys: []param.Key{dirKey,
		{Name: "lease", Kind: param.Duration, Default: "30s",
			Doc: "AckWait: time after which a message of an ended process is delivered again; it " +
				"is renewed while the task runs"},
		{Name: "server", Kind: param.Choice, Default: "embedded",
			Choices: []string{"embedded", "outer"},
			Doc:     "outer: the one that " + registry.NATS.Variable + " names"},
		{Name: "store", Kind: param.Choice, Default: "file", Choices: []string{"memory", "file"},
			Doc: "storage of the stream"},
		{Name: "sync", Kind: param.Choice, Default: "default",
			Choices: []string{"default", "always"},
			Doc: "always: an fsync for each message; default: an fsync every two minutes, as in " +
				"NATS, so the last tasks are lost if the machine fails"}},
	Durability: func(p strategies.Params) strategies.Durability {
		switch {
		case p.Values.Choice("server") == "outer": // only its owner knows its settings
			return strategies.KillSafe
		case p.Values.Choice("store") == "memory":
			return strategies.Volatile
		case p.Values.Choice("sync") == "always":
			return strategies.PowerSafe
		}
		return strategies.KillSafe
	},
	Clean: cleanNATS,
	Check: checkJetStream,
	Open:  openJetStream,
})

func checkJetStream(p strategies.Params) error {
	v := p.Values
	always := v.Choice("sync") == "always"
	switch {
	case always && v.Choice("store") == "memory":
		return errors.New("sync=always: a stream in memory has no fsync")
	case always && v.Choice("server") == "outer":
		return errors.New("sync=always: an outer server has its own setting (sync_interval)")
	case v.Choice("server") == "outer":
		if err := registry.NATS.Ready(); err != nil {
			return err
		}
	}
	return checkLease(p)
}

const consumerName = "workers"

// A jetStream is a stream with the work-queue retention: a message stays until it is acknowledged.
type jetStream struct {
	*health
	embedded    *server.Server // nil: an external server
	conn        *nats.Conn
	js          jetstream.JetStream
	name        string // name of the stream and its subject; dead letters have their own stream
	lease       time.Duration
	remove      func() error
	lastReplied atomic.Pointer[nats.Msg] // one of the last messages with a reply
}

func (j *jetStream) deadName() string { return j.name + "_dead" }

func openJetStream(
	ctx context.Context, p strategies.Params, sink strategies.Sink,
) (strategies.Strategy, error) {
	j := &jetStream{health: newHealth(embeddedAway), lease: p.Values.Duration("lease"),
		remove: func() error { return nil }}
	open := func(ctx context.Context) error { return j.open(ctx, p) }
	return start(ctx, p, sink, j.health, open, engine.Broker{Put: j.put, Work: j.work,
		Close: j.close, Dead: j.dead, Stored: j.stored})
}

func (j *jetStream) open(ctx context.Context, p strategies.Params) (err error) {
	address := registry.NATS.Address()
	var options []nats.Option
	storage := jetstream.FileStorage
	if p.Values.Choice("store") == "memory" {
		storage = jetstream.MemoryStorage
	}
	j.name = queueName(p)
	if p.Values.Choice("server") == "embedded" {
		dir, remove, err := makeDir(p, j.health)
		if err != nil {
			return err
		}
		j.remove, address = remove, ""
		j.embedded, err = hub.Embedded{Dir: dir, Failed: j.failWith,
			SyncAlways: p.Values.Choice("sync") == "always"}.Start()
		if err != nil {
			return err
		}
		options = append(options, nats.InProcessServer(j.embedded))
	}
	if j.conn, err = hub.Connect(address, options...); err != nil {
		return registry.NATS.PublicError(err)
	}
	context.AfterFunc(j.failed, j.conn.Close) // ends the pending requests
	if j.js, err = jetstream.New(j.conn); err != nil {
		return err
	}
	mark := ""
	if isTemporary(p) && j.embedded == nil {
		mark = ownerOf(p).mark()
	}
	queue, err := j.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: j.name,
		Description: mark, Retention: jetstream.WorkQueuePolicy, Storage: storage})
	if err != nil {
		return err
	}
	if _, err = j.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: j.deadName(),
		Description: mark, Storage: storage}); err != nil {
		return err
	}
	if isTemporary(p) && j.embedded == nil {
		j.remove = j.deleteStreams
	}
	// engine.Broker counts the attempts. With MaxDeliver, the server would report a message only
	// once, to nobody if the last attempt has killed the listening process. Messages in backoff
	// count towards MaxAckPending, which must not stop the delivery.
	_, err = queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: j.lease,
		MaxDeliver: -1, MaxAckPending: -1})
	if err == nil && j.embedded != nil && storage == jetstream.FileStorage {
		dir := hub.StreamDir(j.embedded, j.name)
		j.watchFile(dir)
		j.inspect = (&blockFiles{dir: dir}).check
	}
	return err
}

func (j *jetStream) deleteStreams() error {
	return withTimeout(func(ctx context.Context) error {
		return errors.Join(j.js.DeleteStream(ctx, j.name), j.js.DeleteStream(ctx, j.deadName()))
	})
}

func (j *jetStream) close() error {
	var err error
	if j.embedded == nil {
		err = j.remove() // needs the connection
	}
	if j.conn != nil {
		err = errors.Join(err, j.awaitReplies())
		j.conn.Close()
	}
	if j.embedded != nil {
		j.embedded.Shutdown()
		j.embedded.WaitForShutdown()
		err = errors.Join(err, j.remove())
	}
	return err
}

// An embedded server drops unprocessed replies at shutdown. It processes them in order, so
// awaitReplies repeats one and waits for the answer.
func (j *jetStream) awaitReplies() error {
	last := j.lastReplied.Load()
	if j.embedded == nil || last == nil {
		return j.conn.Flush()
	}
	_, err := j.conn.Request(last.Reply, []byte("+WPI"), replyTimeout)
	return err
}

// put has a fast path for the embedded server, because a context with a deadline and JSON decoding
// would cost a tenth of the time. It cannot be cancelled.
func (j *jetStream) put(ctx context.Context, body []byte) error {
	if j.embedded == nil {
		_, err := j.js.Publish(ctx, j.name, body)
		return err
	}
	answer, err := j.conn.Request(j.name, body, requestTimeout)
	if err == nil && !bytes.HasPrefix(answer.Data, []byte(`{"stream":`)) {
		err = fmt.Errorf("the embedded NATS server answered %s", answer.Data)
	}
	return err
}

// A consumer requests one message at a time. The iterators of nats.go request messages in advance,
// whose lease nobody renews while they wait. In v1.55.0 an iterator also stops requesting until the
// heartbeat is missed if the server answers before a pull has been sent.
const (
	pullTime    = 5 * time.Second
	pullRequest = `{"batch":1,"expires":5000000000}`
	pullSubject = "$JS.API.CONSUMER.MSG.NEXT."
)

func (j *jetStream) work(ctx context.Context, limit int, do func(engine.Message)) {
	inboxes := make(chan *nats.Subscription, limit)
	for range limit {
		inbox, err := j.conn.SubscribeSync(j.conn.NewInbox())
		if err != nil { // the connection is closed
			return
		}
		inboxes <- inbox
	}
	j.consume(ctx, limit, func(ctx context.Context) (engine.Message, error) {
		inbox := <-inboxes
		defer func() { inboxes <- inbox }()
		return j.receive(ctx, inbox)
	}, do)
}

func (j *jetStream) receive(ctx context.Context, inbox *nats.Subscription) (*jetMessage, error) {
	subject := pullSubject + j.name + "." + consumerName
	for {
		if err := j.conn.PublishRequest(subject, inbox.Subject, []byte(pullRequest)); err != nil {
			return nil, err
		}
		m, err := j.nextMessage(ctx, inbox)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(err, nats.ErrConnectionClosed):
			return nil, err
		case err != nil: // no message arrived
			continue
		case m.Header.Get("Status") == "503": // no server listens
			return nil, nats.ErrNoResponders
		case m.Header.Get("Status") != "": // a status message of the server
			continue
		}
		return &jetMessage{of: j, Msg: m,
			lease: renewLease(j.lease, func() { _ = m.InProgress() })}, nil
	}
}

// nextMessage waits a second longer than the server, because a connection may lose a request.
func (j *jetStream) nextMessage(ctx context.Context, inbox *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, pullTime+time.Second)
	defer cancel()
	return inbox.NextMsgWithContext(ctx)
}

func (j *jetStream) dead(ctx context.Context) (int, error)   { return j.count(ctx, j.deadName()) }
func (j *jetStream) stored(ctx context.Context) (int, error) { return j.count(ctx, j.name) }

func (j *jetStream) count(ctx context.Context, name string) (int, error) {
	stream, err := j.js.Stream(ctx, name)
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	return int(info.State.Msgs), nil
}

type jetMessage struct {
	of *jetStream
	*nats.Msg
	lease *lease
}

func (m *jetMessage) Body() []byte { return m.Msg.Data }

func (m *jetMessage) Attempt() int {
	meta, err := m.Metadata()
	if err != nil {
		return 1 // not a message of JetStream
	}
	return int(meta.NumDelivered)
}

// A lost acknowledgement costs a second run.
func (m *jetMessage) Reply(r engine.Reply) error {
	m.lease.end()
	defer m.of.lastReplied.Store(m.Msg)
	switch {
	case r.Dead != nil:
		letter := nats.NewMsg(m.of.deadName())
		letter.Data = m.Msg.Data
		letter.Header.Set("Error", oneLine(r.Dead))
		if err := withTimeout(func(ctx context.Context) error {
			_, err := m.of.js.PublishMsg(ctx, letter)
			return err
		}); err != nil {
			return err
		}
		return m.Term()
	case r.Again:
		return m.NakWithDelay(r.After)
	}
	return m.Ack()
}
