package durable_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestRedis(t *testing.T) {
	serve(t, servers.Redis, durable.Redis)
	t.Run("redis_stream", func(t *testing.T) {
		strategytest.Run(t, with("redis_stream", "lease", "300ms", "base", "5ms"))
	})
	t.Run("asynq", func(t *testing.T) {
		strategytest.Run(t, with("asynq", "poll", "10ms", "base", "5ms"))
	})
}

func TestRabbitMQ(t *testing.T) {
	serve(t, servers.RabbitMQ, durable.RabbitMQ)
	t.Run("quorum", func(t *testing.T) {
		strategytest.Run(t, with("rabbitmq", "base", "5ms"))
	})
	t.Run("classic", func(t *testing.T) {
		strategytest.Run(t, with("rabbitmq", "queue", "classic", "base", "5ms"))
	})
}

// TestRedisOutlived has an fsync for each write: with one a second Redis may answer before it has
// written to its file, if that is slow.
func TestRedisOutlived(t *testing.T) {
	for _, text := range []string{"redis_stream:lease=1s", "asynq"} {
		t.Run(text, func(t *testing.T) {
			outlives(t, servers.Redis, durable.Redis, text, "appendfsync=always")
		})
	}
}

func TestRabbitMQOutlived(t *testing.T) {
	for _, text := range []string{"rabbitmq:queue=quorum", "rabbitmq:queue=classic"} {
		t.Run(text, func(t *testing.T) { outlives(t, servers.RabbitMQ, durable.RabbitMQ, text) })
	}
}

// leavesNothing ends an instance that has tasks waiting, running and dead, and wants no goroutine
// of it left.
func leavesNothing(t *testing.T, text string) {
	before := goleak.IgnoreCurrent()
	v := strategies.MustParse(text)
	s, err := v.Spec.Start(t.Context(), strategies.Params{Limit: 2, Values: v.Values},
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		err := s.Submit(t.Context(), &strategies.Task{ID: uint64(i),
			Run: func(ctx context.Context, _ *strategies.Task) strategies.Result {
				switch i {
				case 0:
					panic("a dead letter")
				case 1:
					return strategies.Result{Err: errors.New("no"), Retry: true, After: time.Hour}
				}
				<-ctx.Done()
				return strategies.Result{Err: ctx.Err()}
			}})
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // some run, whichever
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err, ok := errors.AsType[*strategies.DrainError](s.Drain(ended)); !ok {
		t.Errorf("Drain returned %v", err)
	}
	goleak.VerifyNone(t, before)
}

func TestRedisIsLeftEmpty(t *testing.T) {
	serve(t, servers.Redis, durable.Redis)
	o, err := redis.ParseURL(os.Getenv(durable.Redis.Variable))
	if err != nil {
		t.Fatal(err)
	}
	keys := func() int64 {
		c := redis.NewClient(o)
		defer c.Close()
		n, err := c.DBSize(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := keys()
	for _, text := range []string{"redis_stream", "asynq"} {
		t.Run(text, func(t *testing.T) {
			leavesNothing(t, text)
			if n := keys(); n != before {
				t.Errorf("%d keys, before it were %d", n, before)
			}
		})
	}
}

func TestRabbitMQLeavesNothing(t *testing.T) {
	serve(t, servers.RabbitMQ, durable.RabbitMQ)
	for _, text := range []string{"rabbitmq:queue=quorum", "rabbitmq:queue=classic"} {
		t.Run(text, func(t *testing.T) { leavesNothing(t, text) })
	}
}
