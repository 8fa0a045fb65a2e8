package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/strategies"
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
//		broker := engine.Broker{Put: queue.Publish, Work: queue.consume, Close: queue.Close}
//		return broker.Start(ctx, p, sink), nil
//	}
//
// Submit returns when the broker has confirmed the message, and a consumer runs the task and
// acknowledges after it. The message says which task it is; the task itself, which is a func and no
// data, is found in the process by that number. So an instance runs the tasks that were submitted
// to it, and with Params.Resume those that an earlier process has left.
//
// A store that fails ends the instance within seconds: see Watch.
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
	// Stored counts the messages that are neither acknowledged nor dead; nil: the broker cannot.
	// A message that is being put or replied to may be missing. It tells a store that has lost
	// messages from one that is slow.
	Stored func(ctx context.Context) (int, error)
	// Watch returns an error when the store can no longer be used: it is full, read-only, damaged,
	// gone, or has not answered for too long. It returns nil when ctx ends. The instance ends with
	// that error, see StoreError; until then errors of Put and Reply are taken for passing ones.
	// Nil: nobody watches.
	Watch func(ctx context.Context) error
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

// BrokerKeys are the parameters of every strategy with a Broker, and those of its own.
func BrokerKeys(more ...param.Key) []param.Key {
	return append(RetryKeys(param.Key{Name: "bytes", Kind: param.Size, Default: "256",
		Doc: "size of a message; 24 of them say which task it is"}), more...)
}

// CheckBroker is a Spec.Check, or a part of one: of BrokerKeys and of Params.Resume.
func CheckBroker(p strategies.Params) error {
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
	return CheckRetries(p)
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

// Consume is the Work of a Broker that is asked for messages: limit goroutines ask next for one
// each, and go on until ctx ends. A do may end its goroutine, which is then made anew. While next
// fails each asks it ten times a second.
func Consume(
	ctx context.Context, limit int, next func(ctx context.Context) (Message, error),
	do func(Message),
) {
	var all sync.WaitGroup
	var consumer func()
	consumer = func() {
		over := false
		defer func() {
			if !over {
				all.Go(consumer)
			}
		}()
		for ctx.Err() == nil {
			m, err := next(ctx)
			if err == nil {
				do(m)
				continue
			}
			_ = pace.Sleep(ctx, 100*time.Millisecond)
		}
		over = true
	}
	for range limit {
		all.Go(consumer)
	}
	all.Wait()
}
