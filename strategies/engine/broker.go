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

// A Broker describes an external durable queue:
//
//	broker := engine.Broker{Put: queue.Publish, Work: queue.consume, Close: queue.Close}
//	return broker.Start(ctx, p, sink), nil
//
// A consumer runs the task and then acknowledges the message. The message contains only the task's
// number, because a task is a func. An instance therefore runs only its own tasks and, with
// Params.Resume, those of an earlier process.
//
// Each task runs once per process, however often its message is delivered. If a task is given up,
// its message stays in the queue. A message becomes a dead letter after the last attempt, also of
// earlier processes, and after a panic or Goexit. The cost is about 300 ns per task.
type Broker struct {
	// Put stores a copy of body and returns when the copy would survive this process.
	Put func(ctx context.Context, body []byte) error
	// Work calls do for each message, at most limit at a time, until ctx ends and all calls have
	// returned. It continues after broker errors. do may end its goroutine.
	Work func(ctx context.Context, limit int, do func(Message))
	// Close is called once, after Work and all Puts have returned. It may be nil.
	Close func() error
	// Dead counts the dead letters. It may be nil.
	Dead func(ctx context.Context) (int, error)
	// Stored counts messages that are neither acknowledged nor dead, to detect a store that lost
	// messages. It may omit messages that are being put or replied to. It may be nil.
	Stored func(ctx context.Context) (int, error)
	// Watch returns an error when the store is unusable, which ends the instance, and nil when ctx
	// ends. Errors of Put and Reply are transient. Watch may be nil.
	Watch func(ctx context.Context) error
}

// A Message is one delivery. The broker extends its lease until Reply.
type Message interface {
	Body() []byte
	// Attempt counts deliveries from 1, possibly including some that nobody received.
	Attempt() int
	// Reply is called once.
	Reply(Reply) error
}

// A Reply decides what the broker does with a message. The zero Reply acknowledges it.
type Reply struct {
	Again bool          // deliver the message again
	After time.Duration // minimum delay of the next delivery
	// reason for moving the message to the dead letters; nil means not to move it
	Dead error
}

// BrokerKeys returns the parameters of every strategy with a Broker, followed by more.
func BrokerKeys(more ...param.Key) []param.Key {
	return append(RetryKeys(param.Key{Name: "bytes", Kind: param.Size, Default: "256",
		Doc: "size of a message, of which 24 bytes identify the task"}), more...)
}

// CheckBroker checks BrokerKeys and Params.Resume.
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

// Consume implements Work for brokers that are polled. limit goroutines call next until ctx ends,
// ten times a second while it fails.
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
