package durable_test

import (
	"testing"

	"github.com/poolbench/poolbench/internal/servers"
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
