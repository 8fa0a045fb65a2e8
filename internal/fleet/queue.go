package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/bench"
)

// Subjects of NATS. One of a cell has four more parts: the key of the program, the key of the host
// or anyHost, and the id of the sweep.
const (
	callSubject  = "poolbench.call"  // a sweep asks who is there; the answers are Members
	helloSubject = "poolbench.hello" // a Member has come
	sweepSubject = "poolbench.sweep" // with its id: what workers say to it
	cellSubject  = "poolbench.cell"
	anyHost      = "any"
)

// The work queue.
const (
	streamName = "poolbench_cells"
	// lease is how long a cell of a worker that says nothing stays with it
	lease = 5 * time.Second
	// renewal is how often a worker that has one asks whether it is wanted, and prolongs the lease
	renewal = lease / 3
	// mostDeliveries is how many workers may be lost with one cell
	mostDeliveries = 10
	// forgotten is when the consumer of a program goes that nobody has any more
	forgotten = 24 * time.Hour
)

// A presence is a worker's answer to a sweep that asks who is there.
type presence struct {
	Member
	Busy bool // it is at work
}

// A cell is a run of a scenario that a sweep wants.
type cell struct {
	Sweep    string
	Number   int // of the sweep's
	Scenario bench.Written
	Patience time.Duration // that the run gets when it makes no progress; 0 is the default
}

// openQueue makes sure that there is a work queue.
func openQueue(
	ctx context.Context, conn *nats.Conn,
) (jetstream.JetStream, jetstream.Stream, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, nil, err
	}
	config := jetstream.StreamConfig{Name: streamName, Subjects: []string{cellSubject + ".>"},
		Retention: jetstream.WorkQueuePolicy}
	// What is there already is left alone: in NATS 2.15 an update races with whoever makes a
	// consumer meanwhile. Another version of the program may have made it otherwise.
	stream, err := js.CreateStream(ctx, config)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = js.UpdateStream(ctx, config)
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		err = errors.New("this NATS server has no JetStream: start it with -js")
	}
	return js, stream, err
}

// cells is the consumer of a program's cells for that host, or for any.
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

// hostKey is a host as a part of a subject.
func hostKey(host string) string { return hashOf(host)[:16] }
