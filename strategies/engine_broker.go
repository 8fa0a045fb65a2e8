package strategies

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
)

// A Broker is somebody else's durable queue as a strategy needs to know it, and Start makes that
// strategy. Package durable has seven:
//
//	Open: func(
//		ctx context.Context, p strategies.Params, sink strategies.Sink,
//	) (strategies.Strategy, error) {
//		queue, err := mine.Dial(p.Values.Text("queue"))
//		if err != nil {
//			return nil, err
//		}
//		broker := strategies.Broker{Put: queue.Publish, Work: queue.consume, Close: queue.Close}
//		return broker.Start(ctx, p, sink), nil
//	}
//
// Submit returns when the broker has confirmed the message, and a consumer runs the task and
// acknowledges after it. The message says which task it is; the task itself, which is a func and no
// data, is found in the process by that number. So an instance runs the tasks that were submitted
// to it, and with Params.Resume those that an earlier process has left.
//
// The contract is kept here: each task is done once in this process, however often its message is
// delivered; one that is given up is done with the error of that, and its message stays; attempts
// are counted, and after the last one the message becomes a dead letter. So is that of a task that
// panics or ends its goroutine, and of one that an earlier process has tried as often, which is the
// task that kills its process. It costs some 300 ns a task.
type Broker struct {
	// Put keeps a message, and returns when it would outlive this process. It copies body. An error
	// refuses the task, and is Submit's.
	Put func(ctx context.Context, body []byte) error
	// Work has do called for each message, at most limit at a time, until ctx ends and all these
	// calls have returned. It stands errors of the broker, and goes on when it is there again. Of
	// these goroutines do may end one (runtime.Goexit), after it has replied.
	Work func(ctx context.Context, limit int, do func(Message))
	// Close is called once, after Work has returned and all Puts; nil: nothing is to be closed.
	Close func() error
	// Dead counts the dead letters; nil: the broker cannot.
	Dead func(ctx context.Context) (int, error)
}

// A Message is one delivery of what was put. Its lease is kept alive by the broker's side until it
// is replied to.
type Message interface {
	Body() []byte
	// Attempt counts the deliveries of this message, the first is 1. A broker may have counted
	// some that nobody saw.
	Attempt() int
	// Reply tells the broker what becomes of the message. It is called once.
	Reply(Reply) error
}

// A Reply is what becomes of a message. The zero Reply acknowledges it: it is never seen again.
type Reply struct {
	Again bool          // it is to be delivered again,
	After time.Duration // not before that
	Dead  error         // why it becomes a dead letter; nil: it does not
}

// Resume has an instance of a durable strategy go on where another process has ended.
type Resume struct {
	// Name is of the queue, in letters, digits and underscores. Instances of one name, one after
	// another, share it; two at a time must not.
	Name string
	// Remove has the queue removed when this instance has ended; otherwise it is kept.
	Remove bool
	// Task returns the task with that Task.ID, which an earlier process has submitted; nil: there
	// is none any more, and its message becomes a dead letter. The sink is told of it as of others.
	// Where a process was killed it may have run before.
	Task func(id uint64) *Task
}

// BrokerKeys are the parameters of every strategy with a Broker, and those of its own.
func BrokerKeys(more ...param.Key) []param.Key {
	return append(retryKeys(param.Key{Name: "bytes", Kind: param.Size, Default: "256",
		Doc: "size of a message; 24 of them say which task it is"}), more...)
}

// CheckBroker is a Spec.Check, or a part of one: of BrokerKeys and of Params.Resume.
func CheckBroker(p Params) error {
	if n := p.Values.Size("bytes"); n < headerSize || n > maxMessage {
		return fmt.Errorf("bytes %d: want %d to %d", n, headerSize, maxMessage)
	}
	if r := p.Resume; r != nil {
		if r.Task == nil {
			return errors.New("resume: a func that finds tasks is missing")
		}
		if !isQueueName(r.Name) {
			return fmt.Errorf("resume: a queue is named by letters, digits and underscores, "+
				"not %q", r.Name)
		}
	}
	return checkRetries(p)
}

func isQueueName(name string) bool {
	for _, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '_' {
			return false
		}
	}
	return name != "" && len(name) <= 48
}
