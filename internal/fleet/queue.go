package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/bench"
)

// NATS subjects. A cell's has four more parts: the keys of the program and of the host (or
// anyHost), and the sweep's id.
const (
	callSubject  = "poolbench.call"  // a sweep's call, answered by Members
	helloSubject = "poolbench.hello" // announces a Member
	sweepSubject = "poolbench.sweep" // with the id: messages of workers to a sweep
	cellSubject  = "poolbench.cell"
	anyHost      = "any"
)

// The work queue.
const (
	streamName = "poolbench_cells"
	// time after which a silent worker loses its cell
	lease = 5 * time.Second
	// interval at which a worker asks whether its cell is wanted, and renews the lease
	renewal = lease / 3
	// maximum workers lost with one cell
	mostDeliveries = 10
	// time after which an unused consumer of a program is deleted
	forgotten = 24 * time.Hour
)

// A presence is a worker's answer to a call.
type presence struct {
	Member
	Busy bool // running a cell
}

// A cell is a sweep's run of a scenario.
type cell struct {
	Sweep    string
	Number   int // in the sweep
	Scenario bench.Written
	Patience time.Duration // limit without progress; 0 is the default
}

// openQueue creates the work queue if it does not exist.
func openQueue(
	ctx context.Context, conn *nats.Conn,
) (jetstream.JetStream, jetstream.Stream, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, nil, err
	}
	config := jetstream.StreamConfig{Name: streamName, Subjects: []string{cellSubject + ".>"},
		Retention: jetstream.WorkQueuePolicy}
	// Do not update an existing queue: in NATS 2.15 an update races with the creation of consumers.
	// Another version of the program may have created it differently.
	stream, err := js.CreateStream(ctx, config)
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = js.UpdateStream(ctx, config)
	}
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
		err = errors.New("this NATS server has no JetStream: start it with -js")
	}
	return js, stream, err
}

// cells creates the consumer of a program's cells for that host, or for any.
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

// hostKey identifies a host in a subject.
func hostKey(host string) string { return hashOf(host)[:16] }
