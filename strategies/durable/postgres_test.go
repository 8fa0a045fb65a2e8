package durable_test

import (
	"testing"

	"github.com/poolbench/poolbench/internal/servers"
	"github.com/poolbench/poolbench/strategies/durable"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestPostgres(t *testing.T) {
	serve(t, servers.Postgres, durable.Postgres)
	t.Run("postgres_queue", func(t *testing.T) {
		strategytest.Run(t, with("postgres_queue", "lease", "300ms", "base", "5ms"))
	})
	t.Run("river", func(t *testing.T) {
		strategytest.Run(t, with("river", "lease", "300ms", "base", "5ms", "cooldown", "1ms",
			"poll", "20ms"))
	})
	t.Run("off", func(t *testing.T) {
		strategytest.Run(t, with("postgres_queue", "sync", "off", "lease", "300ms", "base", "5ms"))
	})
}

func TestPostgresKilled(t *testing.T) {
	t.Run("postgres_queue", func(t *testing.T) {
		outlives(t, servers.Postgres, durable.Postgres, "postgres_queue:lease=500ms")
	})
	t.Run("river", func(t *testing.T) {
		outlives(t, servers.Postgres, durable.Postgres, "river:lease=500ms,cooldown=1ms,poll=20ms")
	})
}
