package durable_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"

	"github.com/poolbench/poolbench/internal/registry"
)

func dialRawRedis(b *testing.B) *redis.Client {
	o, err := redis.ParseURL(os.Getenv(registry.Redis.Variable))
	if err != nil {
		b.Fatal(err)
	}
	c := redis.NewClient(o)
	b.Cleanup(func() { _ = c.Close() })
	return c
}

func openRawRedis(b *testing.B, _ int) (put func() error, consume func(n int, run func()) error) {
	ctx := context.Background()
	c := dialRawRedis(b)
	body := make([]byte, 256)
	const stream, group = "poolbench_raw", "workers"
	if err := c.XGroupCreateMkStream(ctx, stream, group, "0").Err(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Del(ctx, stream).Err() })
	put = func() error {
		return c.XAdd(ctx, &redis.XAddArgs{Stream: stream, Values: []any{"b", body}}).Err()
	}
	consume = func(n int, run func()) error {
		for range n {
			streams, err := c.XReadGroup(ctx, &redis.XReadGroupArgs{Group: group, Consumer: "raw",
				Streams: []string{stream, ">"}, Count: 1}).Result()
			if err != nil {
				return err
			}
			run()
			id := streams[0].Messages[0].ID
			if _, err := c.Pipelined(ctx, func(line redis.Pipeliner) error {
				line.XDel(ctx, stream, id)
				line.XAck(ctx, stream, group, id)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
	return put, consume
}

// openRawAsynq uses asynq's own server, which starts a goroutine per task.
func openRawAsynq(
	b *testing.B, limit int,
) (put func() error, consume func(n int, run func()) error) {
	c := dialRawRedis(b)
	client := asynq.NewClientFromRedisClient(c)
	body := make([]byte, 256)
	const queue = "poolbench_raw"
	b.Cleanup(func() {
		_ = asynq.NewInspectorFromRedisClient(c).DeleteQueue(queue, true)
	})
	put = func() error {
		_, err := client.Enqueue(asynq.NewTask("raw", body), asynq.Queue(queue))
		return err
	}
	consume = func(n int, run func()) error {
		var left sync.WaitGroup
		left.Add(n)
		server := asynq.NewServerFromRedisClient(c, asynq.Config{Concurrency: limit,
			Queues: map[string]int{queue: 1}, TaskCheckInterval: 100 * time.Millisecond,
			LogLevel: asynq.FatalLevel})
		if err := server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
			run()
			left.Done()
			return nil
		})); err != nil {
			return err
		}
		left.Wait()
		b.StopTimer()
		server.Shutdown()
		return nil
	}
	return put, consume
}

func openRawRabbitMQ(
	b *testing.B, limit int,
) (put func() error, consume func(n int, run func()) error) {
	return openRawQueue(b, limit, "quorum")
}

func openRawClassic(
	b *testing.B, limit int,
) (put func() error, consume func(n int, run func()) error) {
	return openRawQueue(b, limit, "classic")
}

func openRawQueue(
	b *testing.B, limit int, kind string,
) (put func() error, consume func(n int, run func()) error) {
	conn, err := amqp.Dial(os.Getenv(registry.RabbitMQ.Variable))
	if err != nil {
		b.Fatal(err)
	}
	out, err := conn.Channel()
	if err != nil {
		b.Fatal(err)
	}
	const queue = "poolbench_raw"
	if _, err := out.QueueDeclare(queue, true, false, false, false,
		amqp.Table{"x-queue-type": kind}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_, _ = out.QueueDelete(queue, false, false, false)
		_ = conn.Close()
	})
	if err := out.Confirm(false); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 256)
	put = func() error {
		confirm, err := out.PublishWithDeferredConfirm("", queue, false, false,
			amqp.Publishing{DeliveryMode: amqp.Persistent, Body: body})
		if err == nil {
			confirm.Wait()
		}
		return err
	}
	consume = func(n int, run func()) error {
		in, err := conn.Channel()
		if err != nil {
			return err
		}
		if err := in.Qos(limit, 0, false); err != nil {
			return err
		}
		deliveries, err := in.Consume(queue, "", false, false, false, false, nil)
		if err != nil {
			return err
		}
		for range n {
			d := <-deliveries
			run()
			if err := d.Ack(false); err != nil {
				return err
			}
		}
		return nil
	}
	return put, consume
}
