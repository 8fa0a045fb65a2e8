package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/bench"
)

// The subject of a cell has three more parts: the keys of the program and of the host (or anyHost),
// and the sweep's ID.
const (
	callSubject  = "poolbench.call"  // a sweep's call; workers answer with a presence
	helloSubject = "poolbench.hello" // announces a worker
	sweepSubject = "poolbench.sweep" // followed by a sweep's ID; messages of workers to it
	cellSubject  = "poolbench.cell"
	anyHost      = "any"
)

const (
	streamName = "poolbench_cells"
	// time after which a silent worker loses its cell
	lease = 5 * time.Second
	// interval at which a worker asks whether its cell is wanted, and renews the lease
	renewal = lease / 3
	// maximum number of workers lost with one cell
	maxDeliveries = 10
	// time after which an unused consumer of a program is deleted
	forgotten = 24 * time.Hour
)

type heartbeat struct {
	Member
	Busy bool // whether it runs a cell
}

// A cell is a sweep's run of a scenario.
type cell struct {
	Sweep    string
	Number   int // number in the sweep
	Scenario bench.Encoded
	Patience time.Duration // time limit without progress; 0 means the default
}

func openQueue(
	ctx context.Context, conn *nats.Conn,
) (jetstream.JetStream, jetstream.Stream, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, nil, err
	}
	config := jetstream.StreamConfig{Name: streamName, Subjects: []string{cellSubject + ".>"},
		Retention: jetstream.WorkQueuePolicy}
	// Another version of the program may have created the queue with other settings. Do not update
	// it first, because in NATS 2.15 an update races with the creation of consumers.
	stream, err := js.CreateStream(ctx, config)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = js.UpdateStream(ctx, config)
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		err = errors.New("this NATS server has no JetStream: start it with -js")
	}
	return js, stream, err
}

func cells(
	ctx context.Context, stream jetstream.Stream, p Program, host string,
) (jetstream.Consumer, error) {
	return stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable:       p.key() + "_" + host,
		FilterSubject: subjectOf(p, host, "*"), AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: lease, MaxDeliver: -1, MaxAckPending: -1, InactiveThreshold: forgotten})
}

func subjectOf(p Program, host, sweep string) string {
	return cellSubject + "." + p.key() + "." + host + "." + sweep
}

func hostKey(host string) string { return hashOf(host)[:16] }
