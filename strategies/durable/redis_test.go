package durable_test

import (
	"os"
	"testing"

	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

// serve has a server for the test: the one that is named, or one that is started; nil for the
// former. Without either it skips the test, and says why.
func serve(t testing.TB, kind servers.Kind, named durable.Server) *servers.Server {
	t.Helper()
	if os.Getenv(named.Variable) != "" {
		return nil
	}
	if err := kind.Missing(); err != nil {
		t.Skip(err)
	}
	s, err := kind.Start(t.Context(), servers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Setenv(named.Variable, s.Address())
	return s
}

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
