package durable_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/redis/go-redis/v9"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/poolbench/poolbench/internal/registry"
)

// These programs of TestRecovery use the libraries directly, with default settings. Each enqueues n
// tasks, and runs them and those of an earlier process.

func bareAsynq(_ context.Context, n int, run func()) error {
	at, err := asynq.ParseRedisURI(os.Getenv(registry.Redis.Variable))
	if err != nil {
		return err
	}
	for range n {
		if _, err := asynq.NewClient(at).Enqueue(asynq.NewTask("task", nil)); err != nil {
			return err
		}
	}
	return asynq.NewServer(at, asynq.Config{Concurrency: interrupted}).Run(
		asynq.HandlerFunc(func(context.Context, *asynq.Task) error { run(); return nil }))
}

func bareJetStream(ctx context.Context, n int, run func()) error {
	s, err := server.NewServer(&server.Options{JetStream: true, DontListen: true,
		StoreDir: filepath.Join(os.TempDir(), "bare")})
	if err != nil {
		return err
	}
	s.Start()
	s.ReadyForConnections(10 * time.Second)
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		return err
	}
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	stream, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "tasks",
		Retention: jetstream.WorkQueuePolicy})
	for range n {
		if err == nil {
			_, err = js.Publish(ctx, "tasks", nil)
		}
	}
	if err != nil {
		return err
	}
	consumer, err := stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy})
	if err == nil {
		_, err = consumer.Consume(func(jetstream.Msg) { go run() })
	}
	return err
}

func bareRiver(ctx context.Context, n int, run func()) error {
	pool, err := pgxpool.New(ctx, os.Getenv(registry.Postgres.Variable))
	if err != nil {
		return err
	}
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS recovery"); err != nil {
		return err
	}
	driver, log := riverpgxv5.New(pool), slog.New(slog.DiscardHandler)
	migrations, err := rivermigrate.New(driver, &rivermigrate.Config{Schema: "recovery",
		Logger: log})
	if err != nil {
		return err
	}
	if _, err := migrations.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(context.Context, *river.Job[rawJob]) error {
		run()
		return nil
	}))
	client, err := river.NewClient(driver, &river.Config{Schema: "recovery", Logger: log,
		Workers: workers, Queues: map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: interrupted}}})
	for range n {
		if err == nil {
			_, err = client.Insert(ctx, rawJob{}, nil)
		}
	}
	if err != nil {
		return err
	}
	return client.Start(ctx)
}

func bareRabbitMQ(_ context.Context, n int, run func()) error {
	conn, err := amqp.Dial(os.Getenv(registry.RabbitMQ.Variable))
	if err != nil {
		return err
	}
	channel, err := conn.Channel()
	if err != nil {
		return err
	}
	_, err = channel.QueueDeclare("tasks", true, false, false, false,
		amqp.Table{"x-queue-type": "quorum"})
	for range n {
		if err == nil {
			err = channel.Publish("", "tasks", false, false, amqp.Publishing{})
		}
	}
	if err != nil {
		return err
	}
	deliveries, err := channel.Consume("tasks", "", false, false, false, false, nil)
	for range deliveries {
		go run()
	}
	return err
}

// bareRedis claims messages after 5 s idle, the lease of redis_stream, because Redis has no
// default.
func bareRedis(ctx context.Context, n int, run func()) error {
	at, err := redis.ParseURL(os.Getenv(registry.Redis.Variable))
	if err != nil {
		return err
	}
	c := redis.NewClient(at)
	_ = c.XGroupCreateMkStream(ctx, "tasks", "workers", "0").Err() // it may exist already
	for range n {
		if err := c.XAdd(ctx, &redis.XAddArgs{Stream: "tasks",
			Values: []any{"b", ""}}).Err(); err != nil {
			return err
		}
	}
	for {
		claimed, _, err := c.XAutoClaim(ctx, &redis.XAutoClaimArgs{Stream: "tasks",
			Group: "workers", Consumer: "one", MinIdle: 5 * time.Second, Start: "0"}).Result()
		if err != nil {
			return err
		}
		read, err := c.XReadGroup(ctx, &redis.XReadGroupArgs{Group: "workers", Consumer: "one",
			Streams: []string{"tasks", ">"}, Block: time.Second / 4}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		for _, s := range read {
			claimed = append(claimed, s.Messages...)
		}
		for range claimed {
			go run()
		}
	}
}

// barePostgres claims rows for 5 s, the lease of postgres_queue.
func barePostgres(ctx context.Context, n int, run func()) error {
	conn, err := pgx.Connect(ctx, os.Getenv(registry.Postgres.Variable))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "CREATE TABLE IF NOT EXISTS tasks (id bigserial, "+
		"due timestamptz NOT NULL DEFAULT '-infinity')")
	for range n {
		if err == nil {
			_, err = conn.Exec(ctx, "INSERT INTO tasks DEFAULT VALUES")
		}
	}
	for err == nil {
		err = conn.QueryRow(ctx, "UPDATE tasks SET due = now() + interval '5s' WHERE id = ("+
			"SELECT id FROM tasks WHERE due <= now() ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) "+
			"RETURNING id").Scan(new(int64))
		switch {
		case err == nil:
			go run()
		case errors.Is(err, pgx.ErrNoRows):
			time.Sleep(time.Second)
			err = nil
		}
	}
	return err
}
