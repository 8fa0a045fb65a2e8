package durable_test

import (
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

func TestRedisIsLeftEmpty(t *testing.T) {
	for _, text := range []string{"redis_stream", "asynq"} {
		t.Run(text, func(t *testing.T) {
			serve(t, strategies.MustParse(text).Spec)
			o, err := redis.ParseURL(os.Getenv(registry.Redis.Variable))
			if err != nil {
				t.Fatal(err)
			}
			c := redis.NewClient(o)
			defer c.Close()
			keys := func() int64 {
				n, err := c.DBSize(t.Context()).Result()
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			before := keys()
			checkNoLeftovers(t, text)
			if n := keys(); n != before {
				t.Errorf("%d keys, before it were %d", n, before)
			}
		})
	}
}

func TestRabbitMQLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, text := range []string{"rabbitmq:queue=quorum", "rabbitmq:queue=classic"} {
		t.Run(text, func(t *testing.T) { checkNoLeftovers(t, text) })
	}
}
